// Platform Identity: managed users, one-time passwords, backup codes, passkeys and session risk.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { backupCode } from './backupCode';
import { oneTimePassword } from './oneTimePassword';
import { passkey } from './passkey';
import { risk } from './risk';
import { user } from './user';

export const resources = [user, oneTimePassword, backupCode, passkey, risk];

export class PlatformIdentity implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformIdentity',
			resources,
			'Users are found by your own ID (externalUserId). Some operations return secrets such as backup codes: store them.',
		),
		icon: { light: 'file:../../icons/identity.svg', dark: 'file:../../icons/identity.dark.svg' },
		subtitle: subtitleOf(resources),
		description:
			'Manage users, one-time passwords, backup codes and passkeys, and assess session risk',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
