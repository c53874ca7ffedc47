// What `npm start` opens on: charged dry first, then for real, and examples for every ID of a form.
import {
	REAL,
	DRY,
	credentialsFor,
	platformCredentials,
	startHere,
	welcome,
} from '../start/demo.cts';
import type { StoredCredential } from '../n8n/client.cts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { table } from '../table/operations.cts';
import { runWorkflow, sourceOf } from './host/host.cts';
import { PlatformApi } from '../../dist/credentials/PlatformApi.credentials.js';
import { packageNodes } from './host/package.cts';
import { sandboxFor } from './host/run.cts';

const PACKAGE = 'n8n-nodes-platform-api.';

const sandbox = sandboxFor({ customers: 20 });

const service = () => ({ baseUrl: sandbox().baseUrl, apiKey: sandbox().key });

const stored = (): StoredCredential[] =>
	platformCredentials(service()).map(({ type, name }, index) => ({
		id: String(index),
		type,
		name,
	}));

/** Runs it with the credential of this name, and returns the JSON of each node. */
async function runStartHere(name: string) {
	const { data } = platformCredentials(service()).find((each) => each.name === name)!;
	const types = Object.fromEntries(
		Object.entries(packageNodes()).map(([type, node]) => [`${PACKAGE}${type}`, node]),
	);
	const start = 'Execute workflow';
	const nodes = startHere.nodes
		.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
		.map((node) => (node.name === start ? { ...node, type: 'source' } : node));
	const run = await runWorkflow({
		nodes,
		connections: startHere.connections,
		types: { ...types, source: sourceOf([{ json: {} }]) },
		credential: data as never,
		start,
	});
	expect(run.data.resultData.error).toBeUndefined();
	return (node: string) => run.data.resultData.runData[node][0].data?.main[0]?.[0].json;
}

const writes = () => sandbox().requests.filter(({ method }) => method !== 'GET');

describe('the workflow that the demo opens on', () => {
	test('has the dry credential, and sends no write with it', async () => {
		const [credential] = credentialsFor(startHere, stored());
		expect(credential.name).toBe(DRY);
		const itemOf = await runStartHere(credential.name);
		expect(writes()).toEqual([]);
		expect(itemOf('Charge customer')).toMatchObject({ amount: 99.5, dryRun: true });
	});

	test('charges with the other one, and again without a second customer', async () => {
		await runStartHere(REAL);
		await runStartHere(REAL);
		const posts = writes().filter(({ method }) => method === 'POST');
		expect(posts.map(({ path }) => path)).toEqual([
			'/customers.json',
			expect.stringMatching(/^\/customers\/cus-\d+\/charges\.json$/),
			expect.stringMatching(/^\/customers\/cus-\d+\/charges\.json$/),
		]);
	});

	test('leaves the examples the credential that they name', () => {
		const node = { credentials: { platformApi: { id: '', name: REAL } } };
		expect(credentialsFor({ nodes: [node as never] }, stored())[0].name).toBe(REAL);
	});
});

test('the welcome shows the key of the sandbox, and never that of a real service', () => {
	const page = 'http://localhost:5678/workflow/1';
	const owner = { email: 'demo@example.com', password: 'secret' };
	const text = (isSandbox: boolean) =>
		welcome({ page, owner, service: service(), isSandbox, examples: [], note: '' });
	expect(text(true)).toContain(page);
	expect(text(true)).toContain(sandbox().baseUrl);
	expect(text(true)).toContain(sandbox().key);
	expect(text(false)).not.toContain(sandbox().key);
});

test('what the credentials hold is what their form offers', () => {
	const { properties } = new PlatformApi();
	for (const { data } of platformCredentials(service())) {
		for (const { name, type, required, options = [] } of properties) {
			if (required) expect(Object.keys(data)).toContain(name);
			if (type !== 'options') continue;
			const values = options.map((option) => 'value' in option && option.value);
			expect(values).toContain(data[name]);
		}
	}
});

/** The example below a field for an ID, and those in it. */
function exampleIds(field: Field): string[] {
	if (field.type === 'collection') return field.options.flatMap(exampleIds);
	if (field.type === 'fixedCollection') return field.options[0].values.flatMap(exampleIds);
	const byId = field.modes?.find(({ displayName }) => displayName === 'By ID');
	const isId = byId !== undefined || field.name === 'plan' || /Ids?$/.test(field.name);
	const { placeholder = '' } = byId ?? field;
	// An ID of the caller, such as External ID, is none of the service's.
	return isId && !/external/i.test(field.name) && /^e\.g\. [a-z]{3,4}[-_]/.test(placeholder)
		? placeholder.slice('e.g. '.length).split(', ')
		: [];
}

/** All IDs of a new sandbox. */
function idsIn(value: unknown, found = new Set<unknown>(), seen = new Set<unknown>()) {
	if (typeof value !== 'object' || value === null || seen.has(value)) return found;
	seen.add(value);
	for (const [name, each] of Object.entries(value)) if (/id$/i.test(name)) found.add(each);
	const inner: unknown[] = value instanceof Map ? [...value.values()] : Object.values(value);
	for (const each of inner) idsIn(each, found, seen);
	return found;
}

test('what the forms name as an ID exists in the sandbox', () => {
	const known = idsIn(sandbox().state);
	const named = new Set(
		table.flatMap(({ operation }) => (operation.fields ?? []).flatMap(exampleIds)),
	);
	// The sandbox begins without webhooks.
	named.delete('whk-1');
	expect(named.size).toBeGreaterThan(15);
	expect([...named].filter((id) => !known.has(id))).toEqual([]);
});
