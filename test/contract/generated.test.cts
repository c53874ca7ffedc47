// The committed files that are derived from the operation table and the contract.
import { table } from '../table/operations.cts';
import { previewOf } from '../../tools/previews.cts';
import { generatedFiles, isCurrent } from '../../tools/generate.cts';
import { expectNone } from '../none.cts';

test('generated files are as the operation table and the contract say', () => {
	const files = generatedFiles();
	const stale = [...files].filter(([path, text]) => !isCurrent(path, text)).map(([path]) => path);
	expectNone(
		stale.map((path) => `${path} is stale: run \`npm run generate\``),
		'Run `npm run generate`, and look at the diff of:',
	);
});

describe('output schema previews', () => {
	const previews = table.map((entry) => ({ ...entry, preview: previewOf(entry) }));

	test('are there for all operations but those whose answer the reference does not show', () => {
		const without = previews.filter(({ preview }) => !preview).map(({ title }) => title);
		expect(without.sort()).toEqual([
			'Platform Customers › Charge › Create',
			'Platform Customers › Subscription › Pause',
			'Platform Customers › Usage › Get History',
		]);
	});

	const preview = (node: string, resource: string, operation: string) =>
		previews.find(
			(entry) =>
				entry.node === node &&
				entry.resource.value === resource &&
				entry.operation.value === operation,
		)?.preview;
	const text = { type: 'string' };

	test.each([
		[
			'an unwrapped object, with a type that is not shown',
			preview('platformCustomers', 'customer', 'create'),
			{
				id: text,
				partner: {},
				// Sent, and not in the answer.
				...Object.fromEntries(
					[
						...['external_id', 'company_name', 'first_name', 'last_name'],
						...['email', 'country', 'city', 'address'],
					].map((name) => [name, { type: ['string', 'null'] }]),
				),
				tags: { type: ['array', 'null'], items: text },
			},
		],
		[
			'a nullable value: the type that is shown first, as the editor takes it',
			preview('platformCustomers', 'subscription', 'getStatus'),
			{ id: text, status: text, next_renew: { type: ['string', 'null'] }, customer_id: text },
		],
		[
			'nested objects and lists',
			preview('platformWorkflows', 'workflow', 'run'),
			{
				success: { type: 'boolean' },
				execution_id: text,
				stages: {
					type: 'array',
					items: {
						type: 'object',
						properties: { node_name: text, status: text, output: { type: 'object' } },
					},
				},
				workflow_id: text,
			},
		],
	])('%s', (_case, found, properties) => {
		expect(found).toEqual({ type: 'object', properties });
	});
});
