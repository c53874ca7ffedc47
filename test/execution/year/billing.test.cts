// What the examples that bill promise: customers, subscriptions, usage and charges.
import { noneTwice, type World } from './scenes.cts';
import { overAYear } from './overAYear.cts';

const customersWith = ({ sandbox }: World, externalId: string) =>
	sandbox.state.customers.customers.rows.filter((row) => row.externalId === externalId);

const SIGNUPS = [0, 1];

/** The external IDs of all signups so far. */
const signups = ({ occasions }: World) =>
	occasions.flatMap((month) => SIGNUPS.map((row) => `signup-${month}-${row}`));

const charges = ({ sandbox }: World) => sandbox.state.charges.charges.rows;

/** Customers with an ID of the company's own, and a subscription that runs. */
const subscribers = ({ sandbox }: World) =>
	sandbox.state.customers.customers.rows
		.filter(({ externalId, subscriptions }) => externalId && subscriptions.length > 0)
		.slice(0, 3);

/** The usage that was recorded by the examples: it has the month in its ID. */
const recorded = ({ sandbox }: World) =>
	sandbox.state.subscriptions.subscriptions.rows
		.flatMap(({ id, usages }) => usages.map((usage) => ({ ...usage, subscription: id })))
		.filter(({ externalId }) => /-20\d\d-\d\d$/.test(String(externalId)));

const monthOf = (month: number) =>
	`20${27 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;

const ORDERS = [
	{ service: 'Setup', price: 120 },
	{ service: 'Training', price: 480.5 },
	{ service: 'Support', price: 75 },
];

overAYear([
	{
		file: '01-bill-a-new-customer.json',
		occasion: () => ({ 'Execute workflow': [{}] }),
		isDone: 'Each run creates another customer.',
		never: {
			'A customer is charged once': (world) =>
				noneTwice(charges(world).map(({ customer_id }) => customer_id)),
		},
		holds: {
			'Each run bills one customer': (world) =>
				expect(charges(world)).toHaveLength(world.runs.filter(({ isNew }) => isNew).length),
		},
	},
	{
		file: '02-onboard-a-customer.json',
		occasion: (_world, month) => ({
			'New signup': SIGNUPS.map((row) => ({
				externalId: `signup-${month}-${row}`,
				email: `signup.${month}.${row}@example.com`,
				company: 'Hopper Compilers',
				firstName: 'Grace',
				lastName: 'Hopper',
				country: 'US',
				segment: 'enterprise',
				language: 'en',
			})),
		}),
		columns: { node: 'New signup', names: ['externalId', 'segment'] },
		never: {
			'A signup is one customer': ({ sandbox }) =>
				noneTwice(
					sandbox.state.customers.customers.rows.flatMap(({ externalId }) => externalId ?? []),
				),
			'A signup is subscribed once': (world) => {
				for (const signup of signups(world)) {
					for (const { subscriptions } of customersWith(world, signup)) {
						expect(subscriptions.length).toBeLessThanOrEqual(1);
					}
				}
			},
		},
		holds: {
			'Each signup has its subscription, its properties and a payment link': (world) => {
				for (const signup of signups(world)) {
					expect(customersWith(world, signup)).toEqual([
						expect.objectContaining({
							email: expect.stringMatching(/^signup\.\d+\.\d@example\.com$/),
							company_name: 'Hopper Compilers',
							address: { country: 'US' },
							subscriptions: [expect.any(String)],
							properties: { segment: 'enterprise', language: 'en' },
						}),
					]);
				}
				expect(world.runs.at(-1)?.rows('Get payment link')).toHaveLength(SIGNUPS.length);
			},
		},
	},
	{
		file: '03-bill-monthly-usage.json',
		occasion: (world, month) => ({
			'Usage of the month': [
				...subscribers(world).map(({ externalId, subscriptions }, row) => ({
					month: monthOf(month),
					customer: externalId,
					subscription: subscriptions[0],
					api_calls: 100 + row,
				})),
				{ month: monthOf(month), customer: 'nobody', subscription: 'sub-1', api_calls: 10 },
			],
		}),
		goesOn: true,
		columns: { node: 'Usage of the month', names: ['api_calls', 'customer', 'subscription'] },
		never: {
			'The usage of a subscription is recorded once a month': (world) =>
				noneTwice(recorded(world).map(({ externalId }) => externalId)),
			'All that is recorded has its quantity': (world) => {
				for (const { value } of recorded(world)) expect([100, 101, 102]).toContain(value);
			},
			'Each row is recorded, or in the file of failed rows with a reason': ({ runs }) => {
				for (const { rows, file } of runs.filter(({ error }) => error === undefined)) {
					const failed = rows('Row and reason');
					expect(rows('Record usage').length + failed.length).toBe(rows('Read rows').length);
					for (const { reason } of failed) expect(reason).toMatch(/\w+ \w+/);
					if (failed.length === 0) continue;
					const [head, ...lines] = file('Save failed rows').trim().split(/\r?\n/);
					expect(head.replace('\uFEFF', '')).toBe('customer,subscription,api_calls,reason');
					expect(lines).toHaveLength(failed.length);
				}
			},
		},
		holds: {
			'All usage of the known customers is recorded': (world) =>
				expect(recorded(world)).toHaveLength(subscribers(world).length * world.occasions.length),
		},
	},
	{
		file: '24-bill-orders-once.json',
		occasion: (world, month) => ({
			Orders: ORDERS.map(({ service, price }, row) => ({
				order: `A-${month}-${row}`,
				customer: world.sandbox.state.customers.customers.rows[row].externalId,
				service: `${service} A-${month}-${row}`,
				price,
			})),
		}),
		columns: { node: 'Orders', names: ['order', 'customer', 'service', 'price'] },
		never: {
			'An order is charged once': (world) =>
				noneTwice(charges(world).map(({ services }) => services[0].name)),
			'An order is charged to its customer, with its price': (world) => {
				for (const { customer_id, services } of charges(world)) {
					const [, row] = /A-\d+-(\d)$/.exec(String(services[0].name)) ?? [];
					const customer = world.sandbox.state.customers.customers.rows[Number(row)];
					expect([customer_id, services[0].amount]).toEqual([
						customer.id,
						ORDERS[Number(row)].price,
					]);
				}
			},
		},
		holds: {
			'Each order is charged': (world) =>
				expect(charges(world)).toHaveLength(ORDERS.length * world.occasions.length),
		},
	},
]);
