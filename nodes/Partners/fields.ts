// Fields that several resources of this area share.
import { locator } from '../shared/pickers';

export const partnerId = locator('partners', {
	name: 'partnerId',
	required: true,
	placeholder: 'e.g. ptn_1024',
});
