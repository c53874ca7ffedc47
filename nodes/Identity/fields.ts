// Fields that several resources of this area share.
import type { Field } from '../shared/operation';

/** The API lists no users, so there is nothing to pick from. */
export const externalUserId: Field = {
	displayName: 'External User ID',
	name: 'externalUserId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. user-1024',
	description: 'Your own ID for the user, as set when you created the user',
};
