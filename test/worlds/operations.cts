// Every operation of the table, run once with a form that the service accepts, and once with ids
// that it does not know.
import type { Shape } from '../../nodes/engine/base/definition.ts';
import { compositeOf } from '../../tools/composites.cts';
import { existingForm, inOrder, keyOf } from '../table/existing.cts';
import { shapeOf, table } from '../table/operations.cts';
import { told } from '../execution/host/host.cts';
import { type Check, expectThat } from './bench.cts';
import { lost } from './carries.cts';

type Answer = Record<string, unknown>;

const at = (value: unknown, key: string): unknown =>
	key
		.split('.')
		.filter(Boolean)
		.reduce((outer, name) => (outer as Answer | undefined)?.[name], value);

/** Rows that an item is compared with at most. */
const ROWS = 5;

/** What of the items is not what the service answered. */
function problemsOf(response: Shape, plain: unknown, items: Answer[]): string[] {
	switch (response.kind) {
		case 'one':
			return response.untyped ? [] : lost(at(plain, response.unwrap ?? ''), items[0]);
		case 'list':
			return lost(
				(at(plain, response.items ?? 'elements') as unknown[]).slice(0, ROWS),
				items.slice(0, ROWS),
			);
		case 'strings':
			return lost(
				at(plain, response.items ?? ''),
				items.map((item) => item[response.as]),
			);
		case 'map':
			return lost(
				at(plain, response.items),
				Object.fromEntries(items.map(({ name, value }) => [String(name), value])),
			);
		case 'binary':
			return Number(items[0]?.fileSize) > 0 ? [] : ['the file is empty'];
	}
}

/** Create or Update, and what asks many endpoints, are checked elsewhere. */
const single = table.filter((entry) => compositeOf(entry) === undefined);

const runs = inOrder(single).map((entry): Check => ({
	name: `operation ${keyOf(entry)}`,
	async run(bench) {
		const { node, resource, operation } = entry;
		const form = existingForm(bench.sandbox, entry);
		// The raw data, which is what the contract documents.
		const raw = { ...form, simplify: false };
		const { items, error } = await bench.run(node, `${resource.value}.${operation.value}`, raw);
		// Of a list in place of the record nobody can say that its first row is the one.
		const isLookup = ['GET /customers/customer.json', 'GET /partners/partner.json'].includes(
			operation.endpoint.route,
		);
		if (isLookup && bench.world.lookups === 'a bare list') {
			expectThat(told(error).includes('JSON in an unexpected shape'), 'no error that says so');
			return;
		}
		expectThat(error === undefined, `an error: ${error?.message}`);
		expectThat(items.length > 0, 'no item');
		// A size may have been refused before.
		const { plain } = bench.sandbox.requests.find(({ refusal }) => refusal === undefined) ?? {};
		const problems = problemsOf(
			shapeOf(operation),
			plain,
			items.map(({ json, binary }) => (binary ? { fileSize: 1 } : json)),
		);
		expectThat(problems.length === 0, problems.slice(0, 4).join('; '));
	},
}));

/** Fields of a path that are no ids of records. */
const noIds = ['fromCurrency', 'toCurrency'];

const unknowns = single.flatMap((entry): Check[] => {
	const { node, resource, operation } = entry;
	const ids = [...operation.endpoint.route.matchAll(/\{(\w+)\}/g)]
		.map(([, name]) => name)
		.filter((name) => !noIds.includes(name));
	if (ids.length === 0) return [];
	return [
		{
			name: `unknown id ${keyOf(entry)}`,
			async run(bench) {
				const form = existingForm(bench.sandbox, entry);
				for (const name of ids) {
					const isLocator = typeof form[name] === 'object';
					form[name] = isLocator ? { __rl: true, mode: 'id', value: 'no-such-id' } : 'no-such-id';
				}
				const { items, error } = await bench.run(
					node,
					`${resource.value}.${operation.value}`,
					form,
				);
				expectThat(error !== undefined && items.length === 0, 'an item in place of an error');
				const { refusal } = bench.sandbox.requests.at(-1) ?? {};
				expectThat(refusal !== undefined, `nothing was refused: ${error.message}`);
				const said = refusal.replace(/\.$/, '');
				expectThat(
					error.message.includes(said),
					`the error does not say "${said}": ${error.message}`,
				);
				// Under 400 the same status may mean anything else; a scope and a key it never means.
				expectThat(!/scope|API key/.test(told(error)), `the error blames the key: ${told(error)}`);
			},
		},
	];
});

export const operationChecks: Check[] = [...unknowns, ...runs];
