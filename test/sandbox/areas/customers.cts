/** Customers: the records, their properties and payment links. Reference: 'Customers'. */
import { accepted, created, queryText, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { refuse } from '../refusals.cts';
import { person } from '../seeds/people.cts';

export interface Customer {
	id: string;
	externalId?: string;
	company_name?: string;
	first_name?: string;
	last_name?: string;
	email?: string;
	address?: Record<string, string>;
	tags: string[];
	/** The id of the partner to whom the customer is attributed. */
	partner: string | null;
	properties: Record<string, string>;
	/** The ids of its rows in `state.subscriptions`. */
	subscriptions: string[];
	/** Fields that were sent beyond those above. */
	further: Record<string, unknown>;
}

export interface CustomersState {
	customers: Collection<Customer>;
}

type CustomerInput = Partial<Omit<Customer, 'id' | 'properties' | 'subscriptions' | 'further'>>;

/** The customer of a path. */
export const customerOf = ({ state, params }: Call): Customer =>
	state.customers.customers.need(params.customerId, 'unknownCustomerId');

/** What a single read shows. */
function shown(customer: Customer): Record<string, unknown> {
	const { properties: _properties, subscriptions: _subscriptions, further, ...fields } = customer;
	return { ...further, ...fields };
}

/** What a list shows: the same with `external_id`. */
function listed(customer: Customer): Record<string, unknown> {
	const { externalId, ...fields } = shown(customer);
	return { id: customer.id, external_id: externalId, ...fields };
}

/** A customer with the fields of a create or update body laid over it. */
function merged(customer: Customer, input: CustomerInput, keepsAddress = true): Customer {
	const {
		externalId = customer.externalId,
		company_name = customer.company_name,
		first_name = customer.first_name,
		last_name = customer.last_name,
		email = customer.email,
		address,
		tags = customer.tags,
		partner = customer.partner,
		...further
	} = input;
	return {
		...customer,
		externalId,
		company_name,
		first_name,
		last_name,
		email,
		address: address ? { ...(keepsAddress && customer.address), ...address } : customer.address,
		tags,
		partner,
		further: { ...customer.further, ...further },
	};
}

/** A store for customers: e-mail addresses are unique whatever their case. */
function customerBook(): Collection<Customer> {
	return new Collection<Customer>([], {
		email: ({ email }) => email?.toLowerCase() || undefined,
		externalId: ({ externalId }) => externalId || undefined,
	});
}

const blankCustomer = (id: string): Customer => ({
	id,
	tags: [],
	partner: null,
	properties: {},
	subscriptions: [],
	further: {},
});

export const customers: Area<CustomersState> = {
	seed({ random, customers: number }) {
		const book = customerBook();
		for (let index = 1; index <= number; index += 1) {
			book.add({
				...blankCustomer(`cus-${100_000 + index}`),
				...person(random, index),
				externalId: `crm-${index}`,
				tags: random.chance(0.3) ? [random.pick(['vip', 'trial', 'reseller', 'nonprofit'])] : [],
				properties: {
					segment: random.pick(['enterprise', 'mid-market', 'small business']),
					language: random.pick(['de', 'en', 'es', 'fr', 'it']),
				},
			});
		}
		return { customers: book };
	},

	endpoints: {
		'GET /customers.json': (call) =>
			envelope(call, call.state.customers.customers.rows, {
				entities: 'Customer',
				element: listed,
			}),

		'POST /customers.json': (call) => {
			const { customer: input } = call.body as { customer: CustomerInput };
			const { customers: book } = call.state.customers;
			const customer = merged(blankCustomer(call.newId('cus')), input);
			if (book.clashOf(customer)) throw refuse('customerExists');
			book.add(customer);
			return created({ customer: { id: customer.id, partner: customer.partner } });
		},

		'GET /customers/{customerId}.json': (call) => shown(customerOf(call)),

		'PUT /customers/{customerId}.json': (call) => {
			const { customer: input } = call.body as { customer: CustomerInput };
			const { customers: book } = call.state.customers;
			const customer = merged(customerOf(call), input, call.world.addressUpdate === 'kept');
			if (book.clashOf(customer)) throw refuse('customerExists');
			book.update(customer.id, customer);
			return { customer: { id: customer.id } };
		},

		'DELETE /customers/{customerId}.json': (call) => {
			const customer = customerOf(call);
			if (call.world.deletion === 'later') return accepted({ id: customer.id, deleted: true });
			for (const id of customer.subscriptions) call.state.subscriptions.subscriptions.remove(id);
			return accepted(call.state.customers.customers.deleted(customer));
		},

		'GET /customers/customer.json': (call) => {
			const externalId = queryText(call, 'externalId') ?? '';
			const customer = call.state.customers.customers.findBy('externalId', externalId);
			if (!customer) throw refuse('unknownCustomer');
			return shown(customer);
		},

		'GET /customers/{customerId}/properties.json': (call) => {
			const { properties } = customerOf(call);
			return {
				count: Object.keys(properties).length,
				type: 'CustomerProperties',
				elements: properties,
			};
		},

		'PUT /customers/{customerId}/properties.json': (call) => {
			const customer = customerOf(call);
			const { CustomerProperties: sent } = call.body as {
				CustomerProperties: Record<string, string>;
			};
			customer.properties =
				call.world.propertyUpdate === 'kept' ? { ...customer.properties, ...sent } : { ...sent };
			return accepted({
				customer: { id: customer.id },
				CustomerProperties: customer.properties,
			});
		},

		'GET /customers/{customerId}/payment_link.json': (call) => ({
			url: `https://pay.example/${encodeURIComponent(customerOf(call).id)}`,
		}),
	},
};
