// What the examples that bill promise: customers, subscriptions, usage and charges.
import { noneTwice, type World, type Year } from './scenes.cts';

const charges = ({ sandbox }: World) => sandbox.state.charges.charges.rows;

const ORDERS = [
	{ service: 'Setup', price: 120 },
	{ service: 'Training', price: 480.5 },
	{ service: 'Support', price: 75 },
];

export const billing: Year[] = [
	{
		file: '01-bill-a-new-customer.json',
		occasion: () => ({ 'Execute workflow': [{}] }),
		isDone: true,
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
];
