// Backup codes of a user (reference: core, Endpoints, Identity and risk).
import { operation } from '../api';
import { resource } from '../engine/form/operation';
import { externalUserId } from './user';

export const backupCode = resource('backupCode', {
	description: 'Codes for a lost authenticator',
	operations: [
		operation('generate', {
			action: 'Generate backup codes of a user',
			description:
				"Return 10 secret single-use codes, one item each. Don't let the workflow save its execution data.",
			tool: 'Return 10 new secret backup codes that each work once',
			route: 'POST /idp/{externalUserId}/backupcodes.json',
			fields: [externalUserId],
		}),
	],
});
