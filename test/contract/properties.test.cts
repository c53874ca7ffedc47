// Whatever stands in a form: a request as the contract documents it to the operation's own
// endpoint, or an error that names the field. Nothing else, for any value.
// (What is held of every value is held by `assert`: `expect` would take longer than all the rest.)
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldFault } from '../../dist/nodes/engine/base/apiRequest.js';
import type { ApiRequest } from '../../nodes/engine/base/apiRequest.ts';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { endpoints, findEndpoint } from './contract.cts';
import { tries } from '../share.cts';
import { pathParameters, requestTo } from '../table/api.cts';
import { forms, type Form } from '../table/forms.cts';
import { anything, oddForms } from '../table/oddValues.cts';
import { partsOf, routes, routesOf, table, type TableEntry } from '../table/operations.cts';
import { problemsOf, requestsOf } from '../table/requests.cts';
import { fixedValues } from '../table/samples.cts';

/** The same values in each run; a failure prints the seed and the path to its counterexample. */
const seed = Number(process.env.PROPERTY_SEED ?? 20_260_201);
const numRuns = tries(40, 300);

/** What makes a property fail, reduced; null if nothing does. */
async function counterexample<T>(
	property: fc.IRawProperty<T>,
	runs: number,
): Promise<string | null> {
	const details = await fc.check(property as fc.IAsyncProperty<T>, { seed, numRuns: runs });
	return (await fc.asyncDefaultReportMessage(details)) ?? null;
}

const namesInPrototype = Object.getOwnPropertyNames(Object.prototype).join();

/** What the form calls its fields, with those inside collections and rows. */
function labels(fields: Field[]): string[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return [field.displayName, ...labels(field.options)];
		if (field.type !== 'fixedCollection') return [field.displayName];
		return [field.displayName, ...labels(field.options[0].values)];
	});
}

/** A request as it travels: JSON for the body, text for the query. */
function onTheWire(request: ApiRequest): ApiRequest {
	for (const value of Object.values(request.query ?? {}).flat()) {
		assert.match(typeof value, /^(string|number|boolean)$/);
		// Throws at what cannot be encoded, half a character: it never leaves n8n.
		encodeURIComponent(String(value));
	}
	if (request.body === undefined) return request;
	return { ...request, body: JSON.parse(JSON.stringify(request.body)) as ApiRequest['body'] };
}

function checkSent({ operation }: TableEntry, request: ApiRequest): void {
	const { run } = operation;
	if (!run) {
		const { method, route, template } = request.endpoint;
		assert.ok(routesOf(operation).includes(route), route);
		assert.equal(findEndpoint(method, request.path)?.path, template.path);
	}
	assert.deepEqual(problemsOf(onTheWire(request)), []);
}

function checkRefused({ operation: { fields = [] } }: TableEntry, error: unknown): void {
	if (!(error instanceof FieldFault)) throw error;
	// The columns of a mapper have names of their own.
	const isMapped = fields.some(({ type }) => type === 'resourceMapper');
	assert.ok(isMapped || labels(fields).includes(error.field), error.field);
	assert.notEqual(error.field, '');
	assert.ok(error.fault.length > 5 && error.fault.length < 300, error.fault);
}

async function tryForm(entry: TableEntry, form: Form, item: unknown): Promise<void> {
	const requests = await requestsOf(entry, form, item as object).catch((error: unknown) => {
		checkRefused(entry, error);
		return [];
	});
	for (const request of requests) checkSent(entry, request);
}

afterEach(() => {
	expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(namesInPrototype);
});

const bases = (entry: TableEntry) => forms(entry.operation, fixedValues(entry));
const hasFields = ({ operation: { fields = [] } }: TableEntry) => fields.length > 0;

describe.each(table.filter(hasFields).map((entry) => [entry.title, entry] as const))(
	'%s',
	(_title, entry) => {
		test('gives a documented request or names the field, whatever its form holds', async () => {
			const odd = oddForms(entry.operation as Operation, bases(entry));
			const item = fc.dictionary(fc.string(), anything, { maxKeys: 3 });
			const holds = fc.asyncProperty(odd, item, (form, json) => tryForm(entry, form, json));
			expect(await counterexample(holds, numRuns)).toBeNull();
		});
	},
);

const templates = [...new Set(endpoints.map(({ path }) => path))].filter((path) =>
	path.includes('{'),
);

/** Ids out of parts of paths, with all that a service may take for a slash. */
const pathLike = fc
	.tuple(
		fc.array(
			fc.oneof(
				fc.constantFrom(
					...templates.flatMap((path) => path.split('/').slice(1)),
					...['x', '.', '..', 'x.json?x', '#'],
				),
				fc.constantFrom(...templates.flatMap((path) => path.replace('.json', '').split('/'))),
				fc.string({ maxLength: 2 }),
			),
			{ minLength: 1, maxLength: 4 },
		),
		fc.constantFrom('/', '//', '\\', '%2F'),
	)
	.map(([parts, separator]) => parts.join(separator));

/** The endpoint that a service sees which decodes a path once, up to its query, and tidies up its slashes. */
function seenIn(path: string): string | undefined {
	const [decoded] = decodeURIComponent(path)
		.replace(/[\\/]+/g, '/')
		.split(/[?#]/);
	assert.ok(!decoded.split('/').includes('..'), decoded);
	return ['GET', 'POST', 'PUT', 'DELETE']
		.map((method) => findEndpoint(method, decoded)?.path)
		.find((each) => each !== undefined);
}

/** A route for each template. */
const filled = routes.filter(
	(route, index) =>
		index === routes.findIndex((each) => partsOf(each).path === partsOf(route).path),
);

test.each(filled.filter((route) => route.includes('{')))(
	'%s: no id makes the path of another endpoint or record',
	async (route) => {
		const names = pathParameters(route);
		const template = partsOf(route).path;
		const ids = fc.record(Object.fromEntries(names.map((name) => [name, pathLike])));
		const holds = fc.property(ids, (values) => {
			let path: string;
			try {
				({ path } = requestTo(route, values));
			} catch (error) {
				if (!(error instanceof FieldFault)) throw error;
				assert.ok(names.includes(error.field), error.field);
				return;
			}
			assert.equal(path.split('/').length, template.split('/').length);
			const isWhole = Object.values(values).every((each) => !/[\\/?#]/.test(each));
			assert.equal(seenIn(path), isWhole ? template : undefined);
		});
		expect(await counterexample(holds, 4 * numRuns)).toBeNull();
	},
);
