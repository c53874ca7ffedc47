// The address of a customer or a partner (reference: core, Customer; Partner, fee, payout). Its group is a collection,
// since n8n sends all parts of a fixed collection, so that one of them could not be cleared alone.
import { collection, text, type Field } from './fields';

export const country = text({
	name: 'country',
	placeholder: 'e.g. DE',
	send: { as: 'address.country', format: 'country' },
	description: 'Two-letter country code (ISO 3166-1 alpha-2)',
});

/** The city of an address; `of` says whose. */
export const city = (of: string): Field =>
	text({
		name: 'city',
		send: { as: 'address.city' },
		description: `City of the ${of}`,
	});

/** The group; its parts name their places in the request themselves. */
export const address = collection('address', 'part');
