// Managed users (reference: core, Endpoints, Identity and risk).
import { create, get } from '../api';
import { text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';

/** Not a picker, because the API has no list of users. */
export const externalUserId = text({
	name: 'externalUserId',
	required: true,
	placeholder: 'e.g. user-1',
	send: { trim: true },
	description: 'Your own ID for the user',
});

export const user = resource('user', {
	description: 'Users by your own IDs',
	operations: [
		create({
			action: 'Create a user',
			description:
				'Create a user and return the ID and status. Fails if the external user ID already exists.',
			route: 'POST /idp/user.json',
			whole: { route: 'GET /idp/{externalUserId}.json', by: 'external_id' },
			root: 'user',
			fields: [
				{
					...externalUserId,
					send: { as: 'external_id', trim: true },
					description: 'Your own ID for the user, unique in your company',
				},
			],
		}),
		get({
			action: 'Get a user',
			description: 'Return a user with status, failed attempts, lock state and factors',
			route: 'GET /idp/{externalUserId}.json',
			fields: [externalUserId],
		}),
	],
});
