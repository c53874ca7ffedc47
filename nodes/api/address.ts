// Address fields of customers and partners (reference: core, Customer; Partner, fee, payout). They are in a
// collection, because a fixed collection always has all its fields, so a single one couldn't be cleared.
import { collection, text, type Field } from '../engine/form/fields';

export const country = text({
	name: 'country',
	placeholder: 'e.g. DE',
	send: { as: 'address.country', format: 'country' },
	description: 'Two-letter country code (ISO 3166-1 alpha-2)',
});

/** @param of owner of the address, such as `customer` */
export const city = (of: string): Field =>
	text({
		name: 'city',
		placeholder: 'e.g. Hamburg',
		send: { as: 'address.city' },
		description: `City of the ${of}`,
	});

/** Groups address fields. Each field has its own `send.as`. */
export const address = collection('address', 'part');
