// ID fields that several resources of this node share.
import { locator } from '../api';

export const customerId = locator('customers', {
	name: 'customerId',
	required: true,
	placeholder: 'e.g. cus-100001',
});

export const subscriptionId = locator('customerSubscriptions', {
	name: 'subscriptionId',
	required: true,
	placeholder: 'e.g. sub-500001',
});
