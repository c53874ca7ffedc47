// The group of fields that make an address. It is a collection, since n8n sends all parts of a fixed
// collection, so that one of them could not be cleared alone.
import type { Field } from './operation';

/** The group; its parts name their places in the request themselves. */
export const address = (parts: Field[]): Field => ({
	displayName: 'Address',
	name: 'address',
	type: 'collection',
	placeholder: 'Add part',
	default: {},
	options: parts,
});
