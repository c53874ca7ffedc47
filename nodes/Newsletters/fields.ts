// Fields that several resources of this area share.
import { locator } from '../shared/pickers';
import type { Field } from '../shared/operation';

export const newsletterId = locator('newsletters', {
	displayName: 'Newsletter',
	name: 'newsletterId',
	required: true,
	description: 'The newsletter to work with',
	placeholder: 'e.g. nwl_128',
});

export const contactIds: Field = {
	displayName: 'Customer IDs',
	name: 'contactIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. cus_1024, cus_1025',
	send: { as: 'contact_ids', type: 'list' },
	description:
		'Customers who receive the newsletter: comma-separated IDs, or an array from an expression. Suppressed and unknown ones are skipped and counted.',
};
