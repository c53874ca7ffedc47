// Fields that several resources of this area share.
import { locator } from '../shared/pickers';

export const customerId = locator('customers', {
	displayName: 'Customer',
	name: 'customerId',
	required: true,
	description: 'The customer to work with',
	placeholder: 'e.g. cus_1024',
});

export const subscriptionId = locator('customerSubscriptions', {
	displayName: 'Subscription',
	name: 'subscriptionId',
	required: true,
	description: 'A subscription of the customer',
	placeholder: 'e.g. sub_2048',
});
