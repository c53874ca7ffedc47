// Fields that several resources of this area share.
import { locator } from '../shared/pickers';

export const partnerId = locator('partners', {
	displayName: 'Partner',
	name: 'partnerId',
	required: true,
	description: 'The partner to work with',
	placeholder: 'e.g. ptn_1024',
});
