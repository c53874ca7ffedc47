// Backup codes of a user (reference: core, Endpoints, Identity and risk).
import { operation } from '../api';
import { resource } from '../engine/form/operation';
import { externalUserId } from './user';

export const backupCode = resource('backupCode', {
	description: 'Codes for a lost authenticator',
	operations: [
		operation('generate', {
			action: 'Generate backup codes of a user',
			description: 'Generate 10 single-use backup codes and return one item for each',
			notice:
				"The output contains secret backup codes. Only give them to the user, and don't save execution data for this workflow.",
			route: 'POST /idp/{externalUserId}/backupcodes.json',
			fields: [externalUserId],
		}),
	],
});
