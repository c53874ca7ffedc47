// Managed users (reference: core, Endpoints, Identity and risk).
import type { Resource } from '../shared/operation';
import { externalUserId } from './fields';

export const user: Resource = {
	name: 'User',
	value: 'user',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a user',
			description: 'Create a managed user and return the ID and status; fails if the ID is taken',
			route: 'POST /idp/user.json',
			root: 'user',
			fields: [
				{
					...externalUserId,
					send: { as: 'external_id' },
					description: 'Your own ID of the user, unique in your company',
				},
			],
		},
		{
			name: 'Get',
			value: 'get',
			action: 'Get a user',
			description:
				'Return one user: status, failed attempts, whether locked, and which factors are set up',
			route: 'GET /idp/{externalUserId}.json',
			fields: [externalUserId],
		},
	],
};
