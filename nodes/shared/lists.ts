// What pickers offer: lists of the API, and values that the reference shows without saying that
// they are all.
import type { IDataObject } from 'n8n-workflow';

/** A list of the API that a picker offers. */
export interface PickerList {
	/** Path template; its parameters are fields of the form, such as the chosen partner. */
	path: string;
	scope: string;
	/** Key of the rows in the envelope; default `elements`. A bare array needs none. */
	items?: string;
	/** Whether the list takes `page` and `size`. */
	paged?: boolean;
	/** Query parameter by which the API itself searches. */
	searchParameter?: string;
	/** Further query parameters. */
	query?: () => IDataObject;
	/** Field of a row that is the value; a row that is a text is its own. Default `id`. */
	value?: string;
	/** What a row shows, from its fields; empty parts are left out. */
	label: (row: IDataObject) => unknown[];
	/** Rows that are no choice, such as a connection of another purpose, are left out. */
	only?: (row: IDataObject) => boolean;
}

/** Named as the method that a field's `searchListMethod` or `loadOptionsMethod` calls. */
export const pickerLists = {
	customers: {
		path: '/customers.json',
		scope: 'customers:read',
		paged: true,
		label: ({ company_name, first_name, last_name, email }) => [
			company_name ?? [first_name, last_name].filter(Boolean).join(' '),
			email,
		],
	},
	customerProperties: {
		path: '/customers/{customerId}/properties.json',
		scope: 'customer_properties:read',
		value: 'name',
		label: ({ name }) => [name],
	},
	customerSubscriptions: {
		path: '/customers/{customerId}/subscriptions.json',
		scope: 'customer_subscriptions:read',
		label: ({ name, status }) => [name, status],
	},
	subscriptionPlans: {
		path: '/recurring-payments/subscriptions.json',
		scope: 'recurring_subscriptions:read',
		paged: true,
		label: ({ name, subscription_reference }) => [name ?? subscription_reference],
	},
} satisfies Record<string, PickerList>;

export type PickerListName = keyof typeof pickerLists;

/** Values seen in the reference; a field that offers them takes any other value too. */
export const knownValues = {
	discountTypes: ['percentage'],
	subscriptionStatuses: ['active', 'dismiss', 'success'],
} satisfies Record<string, string[]>;

export type KnownValuesName = keyof typeof knownValues;
