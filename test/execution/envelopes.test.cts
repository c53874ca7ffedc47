// Include Envelope: what the API sends beside the rows of a list comes with them, as one item.
import { formFields } from '../../dist/nodes/engine/node/description.js';
import { run, sandboxFor } from './host/run.cts';
import { table } from '../table/operations.cts';
import type { Field } from '../../nodes/engine/form/fields.ts';

const sandbox = sandboxFor();

test('the range of a list of events is there, and no further request', async () => {
	const range = { start: '2031-05-01', end: '2031-05-02' };
	const { items } = await run(sandbox(), 'platformScheduler', 'event.getAll', {
		...range,
		options: { includeEnvelope: true },
	});
	expect(items).toEqual([
		{ json: { status: 'fetch', count: 0, range, events: [] }, pairedItem: { item: 0 } },
	]);
	expect(sandbox().requests).toHaveLength(1);
});

/** Fields of Options, by the operations that offer them. */
const offered = (name: string) =>
	table
		.filter(({ operation }) =>
			(formFields(operation) as Field[])
				.filter((field) => field.name === 'options' && field.type === 'collection')
				.some(({ options = [] }) => options.some((option) => option.name === name)),
		)
		.map(({ node, resource, operation }) => `${node}.${resource.value}.${operation.value}`);

// Newsletter recipients and passages of a search have more beside their rows, too: there Output offers it.
test('only a list with more than the common envelope offers it', () => {
	expect(offered('includeEnvelope')).toEqual(['platformScheduler.event.getAll']);
});
