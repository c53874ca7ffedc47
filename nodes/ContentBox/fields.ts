// Fields that several resources of this area share.
import { locator } from '../shared/pickers';

export const typeId = locator('contentTypes', {
	displayName: 'Content Type',
	name: 'typeId',
	required: true,
	placeholder: 'e.g. typ_12',
});
