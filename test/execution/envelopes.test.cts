// What the API sends beside the rows of a list: one item with all of it, without a second request.
import { displayParameter, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import type { Operation } from '../../nodes/shared/operation.ts';
import { byId, run, sandboxFor } from './host/run.cts';
import { shapeOf, table } from '../table/operations.cts';

const sandbox = sandboxFor();
const withEnvelope = { options: { includeEnvelope: true } };

test('a list of several pages comes as one item', async () => {
	const form = { returnAll: true, ...withEnvelope };
	const { items } = await run(sandbox(), 'platformCustomers', 'customer.getAll', form);
	const asked = sandbox().requests.length;
	expect(items).toHaveLength(1);
	expect(items[0].json).toMatchObject({
		entities: 'Customer',
		count: 250,
		pages: { current: 1, max: 3 },
	});
	const rows = items[0].json.elements as Array<{ id: string }>;
	expect(rows.map(({ id }) => id)).toEqual(
		sandbox().state.customers.customers.rows.map(({ id }) => id),
	);
	expect(items[0].pairedItem).toEqual({ item: 0 });

	sandbox().clearRequests();
	await run(sandbox(), 'platformCustomers', 'customer.getAll', { returnAll: true });
	expect(sandbox().requests).toHaveLength(asked);
});

test('the rows keep to the limit', async () => {
	const form = { limit: 3, ...withEnvelope };
	const { items } = await run(sandbox(), 'platformCustomers', 'customer.getAll', form);
	expect(items[0].json).toMatchObject({ count: 250 });
	expect(items[0].json.elements).toHaveLength(3);
});

test('the range of a list of events is there', async () => {
	const range = { start: '2031-05-01', end: '2031-05-02' };
	const { items } = await run(sandbox(), 'platformScheduler', 'event.getAll', {
		...range,
		...withEnvelope,
	});
	expect(items.map(({ json }) => json)).toEqual([{ status: 'fetch', count: 0, range, events: [] }]);
});

test('the properties of a customer come as the API has them', async () => {
	const { items } = await run(sandbox(), 'platformCustomers', 'property.getAll', {
		customerId: byId('cus-100001'),
		returnAll: true,
		...withEnvelope,
	});
	expect(items[0].json).toMatchObject({ type: 'CustomerProperties', count: 2 });
});

/** Lists that have something beside their rows. */
const hasEnvelope = ({ operation }: (typeof table)[number]) => {
	const shape = shapeOf(operation);
	if (operation.run !== undefined) return false;
	return shape.kind === 'map' || (shape.kind === 'list' && shape.items !== '');
};

const { optionsField } = require('../../dist/nodes/shared/form/options.js') as {
	optionsField: (operation: Operation) => { options: INodeProperties[] };
};

/** The option, as the editor shows it while the form holds these values. */
const offered = (operation: Operation, form: INodeParameters = {}) =>
	optionsField(operation)
		.options.filter(({ name }) => name === 'includeEnvelope')
		.filter((field) => displayParameter({}, field, null, null, form));

test.each(table.map((entry) => [entry.title, entry] as const))(
	'%s offers it if it has one',
	(_title, entry) => {
		expect(offered(entry.operation)).toHaveLength(hasEnvelope(entry) ? 1 : 0);
	},
);

/** Lists of which a choice of the form makes one item. */
const choices = table.filter(hasEnvelope).flatMap(({ title, operation }) => {
	const { field, is, shape } = operation.alternative ?? {};
	return field !== undefined && shape?.kind === 'one' ? [{ title, operation, field, is }] : [];
});

test('there are lists that a choice makes one item of', () => {
	expect(choices.length).toBeGreaterThan(1);
});

test.each(choices)('$title does not offer it where it does nothing', ({ operation, field, is }) => {
	expect(offered(operation, { [field]: is })).toEqual([]);
	expect(offered(operation, { [field]: 'something else' })).toHaveLength(1);
});
