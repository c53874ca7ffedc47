// Fields that several resources of this area share.
import { text } from '../shared/fields';

/** The API lists no users, so there is nothing to pick from. */
export const externalUserId = text({
	name: 'externalUserId',
	required: true,
	placeholder: 'e.g. user-1024',
	description: 'Your own ID for the user, as set when you created the user',
});
