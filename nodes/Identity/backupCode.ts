// Backup codes of a user (reference: core, Endpoints, Identity and risk).
import type { Resource } from '../shared/operation';
import { externalUserId } from './fields';

export const backupCode: Resource = {
	name: 'Backup Code',
	value: 'backupCode',
	operations: [
		{
			name: 'Generate',
			value: 'generate',
			action: 'Generate backup codes of a user',
			description: 'Generate 10 backup codes, each good for one use, and return one item for each',
			notice:
				'The output holds backup codes, which are secrets: pass them on to the user only, and do not save the execution data of this workflow.',
			route: 'POST /idp/{externalUserId}/backupcodes.json',
			fields: [externalUserId],
		},
	],
};
