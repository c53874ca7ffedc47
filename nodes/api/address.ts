// Address fields of customers and partners (reference: core, Customer; Partner, fee, payout). They're in a collection, because
// a fixed collection always has all its fields, so a single field couldn't be cleared.
import { collection, text } from '../engine/form/fields';

export const country = text({
	name: 'country',
	placeholder: 'e.g. DE',
	send: { as: 'address.country', format: 'country' },
	description: 'Two-letter code',
});

export const city = text({
	name: 'city',
	placeholder: 'e.g. Hamburg',
	send: { as: 'address.city' },
});

/** Each field has its own `send.as`. */
export const address = collection('address', 'part');
