// What a form shows, by n8n's own rule: with each choice, one field for each name and for each place of the request.
import { displayParameter, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import { wireName } from '../../dist/nodes/engine/form/containers.js';
import { forms, shown } from '../table/forms.cts';
import { newestVersion, nodes, table } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { expectNone } from '../none.cts';

const repeated = (names: string[]) => names.filter((name, index) => names.indexOf(name) !== index);

const cases = table.map((entry) => [entry.title, entry] as const);

test.each(cases)(
	'%s: each choice shows a name once, and a place of the request once',
	(_title, entry) => {
		const { description } = nodes.find(({ name }) => name === entry.node)!;
		const { resource, operation } = entry;
		for (const version of new Set([1, newestVersion(description)])) {
			for (const values of forms(operation, fixedValues(entry), version)) {
				const form = { ...values, resource: resource.value, operation: operation.value };
				const isShown = (each: INodeProperties) =>
					displayParameter(form as INodeParameters, each, { typeVersion: version }, description);
				const fields = description.properties.filter(
					(each) => each.type !== 'notice' && isShown(each),
				);
				expectNone(
					repeated(fields.map(({ name }) => name)),
					'Two fields that are shown at once have this name: one hides the other. Rename the new one, or show it elsewhere.',
				);
				const added = fields
					.filter(({ type, isNodeSetting }) => type === 'collection' && !isNodeSetting)
					.flatMap(({ options = [] }) => (options as INodeProperties[]).filter(isShown));
				expectNone(
					repeated([...fields, ...added].map(({ displayName }) => displayName)),
					'Two fields that are shown at once have this label. Give each its own.',
				);
				const places = shown(operation.fields ?? [], form, version)
					.filter(({ type, send }) => type !== 'collection' && type !== 'notice' && send !== false)
					.map(wireName);
				expectNone(
					repeated(places),
					'Two fields that are shown at once fill the same place of the request. Decide which of them does.',
				);
			}
		}
	},
);

test.each(nodes)('$displayName has no form without a credential', ({ description }) => {
	expect(description.credentials).toEqual([
		expect.objectContaining({ name: 'platformApi', required: true }),
	]);
});

// n8n adds all fields of such a record by itself, unless it's told not to: an update would then clear what nobody has set.
test('a mapper of columns adds all fields to a new record, and none to an update', () => {
	const mappers = table.flatMap(({ title, operation }) =>
		(operation.fields ?? [])
			.filter(({ name, type }) => type === 'resourceMapper' && name === 'data')
			.map(({ typeOptions }) => ({
				title,
				adds: typeOptions?.resourceMapper?.addAllFields !== false,
				isNew: operation.endpoint.route.startsWith('POST '),
			})),
	);
	expect(mappers.length).toBeGreaterThan(1);
	expect(mappers.filter(({ adds, isNew }) => adds !== isNew)).toEqual([]);
});
