// Responses of success that aren't one: without what the reference documents as returned, or with an error in other words.
// Every write of the table, and the two whose response isn't shown.
import type { IDataObject } from 'n8n-workflow';
import samples from '../../nodes/api/dryRunSamples.json';
import { endpoints } from '../contract/contract.cts';
import { forms } from '../table/forms.cts';
import { endpointOf, isRepeatable, onlyReads, routes, table } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

const DOUBT = "It may have gone through, so it wasn't retried. Check before you run it again.";

/** Members that a success must have. */
const returnsOf = (route: string): string[] => {
	const endpoint = endpointOf(route);
	return endpoint.kind === 'one' ? (endpoint.returns ?? []) : [];
};

/** Names that the contract requires in a response, and in the records right below it. */
function documentedOf(route: string): string[] {
	const { responses } = endpoints.find(({ method, path }) => `${method} ${path}` === route) ?? {};
	const [, success] = Object.entries(responses ?? {}).find(([status]) => status < '3') ?? [];
	const { anyOf = [], ...schema } = { ...success?.body?.schema };
	const whole = (anyOf as (typeof schema)[])[0] ?? schema;
	return [whole, ...Object.values(whole.properties ?? {})].flatMap(({ required = [] }) => required);
}

// A write of an open shape, embeddings, which are held against their texts, and codes, which are a list.
const others = ['charges', 'pause', 'embeddings', 'backupcodes'];

const writes = routes.filter((route) => !onlyReads(route));

test.each(writes)('%s: its response must have what the reference documents', (route) => {
	const returns = returnsOf(route);
	expect(returns.length > 0).toBe(others.every((each) => !route.includes(each)));
	expect(documentedOf(route)).toEqual(expect.arrayContaining(returns));
});

const sampleOf = (route: string): IDataObject => {
	const endpoint = endpointOf(route);
	if (endpoint.kind === 'one' && endpoint.gone) return { ...endpoint.gone('1'), status: 'success' };
	// Samples of dry runs have null for a number that isn't known.
	const known = Object.entries((samples as Record<string, IDataObject>)[route]);
	return Object.fromEntries(known.map(([name, value]) => [name, value ?? 1]));
};

/** A copy of a response in which a member is undefined or has another value. */
const changed = (response: IDataObject, member: string, value?: unknown): IDataObject =>
	Object.fromEntries(
		Object.entries(response).flatMap(([name, each]): Array<[string, unknown]> => {
			if (name === member) return value === undefined ? [] : [[name, value]];
			const isBelow = typeof each === 'object' && each !== null && !Array.isArray(each);
			return [[name, isBelow ? changed(each as IDataObject, member, value) : each]];
		}),
	) as IDataObject;

const known = { id: '1', tags: [], selected_ids: [], elements: {}, data: {}, address: {} };

const entries = table.filter(({ operation }) => returnsOf(operation.endpoint.route).length > 0);

test.each(entries.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const { node, resource, operation } = entry;
	const { route } = operation.endpoint;
	const form = forms(operation, fixedValues(entry)).at(-1);
	const outcome = async (body: unknown, status = 200) => {
		service.behave(({ method, path }) => {
			if (method !== operation.endpoint.method) {
				return /customer\.json|partner\.json/.test(path) ? { status: 404 } : { body: known };
			}
			return { status, body };
		});
		const name = `${resource.value}.${operation.value}`;
		const options = { items: [{ id: '1' }] };
		const { error } = await run(service, node, name, { ...form, waitUntilIndexed: false }, options);
		return error?.message;
	};
	const doubt = isRepeatable(route) ? '' : DOUBT;
	expect(await outcome(sampleOf(route))).toBeUndefined();
	for (const member of returnsOf(route)) {
		const lacking = await outcome(changed(sampleOf(route), member));
		expect(lacking).toContain(`The API returned no "${member}".`);
		expect(lacking).toContain(doubt);
	}
	const [member] = returnsOf(route);
	const denied = await outcome(changed(sampleOf(route), member, false));
	expect(denied).toContain(`The API returned "${member}": false.`);
	expect(await outcome({})).toContain(doubt);
	const isSilentDone = operation.endpoint.method !== 'POST' && isRepeatable(route);
	const silent = await outcome('', 204);
	if (isSilentDone) expect(silent).toBeUndefined();
	else expect(silent).toContain(doubt);
});

test('the ID of what was sent does not stand for that of what was made', async () => {
	service.behave(() => ({ status: 201, body: { subscription: { id: 's1', status: 'active' } } }));
	const form = { customerId: byId('c1'), plan: 'p1' };
	const { items } = await run(service, 'platformCustomers', 'subscription.create', form);
	expect(items[0].json).toMatchObject({ subscription: { id: 's1' }, customer_id: 'c1' });
	expect(items[0].json.id).toBeUndefined();
});

describe('where the reference shows no response', () => {
	const charge = { customerId: byId('c1'), services: { service: [{ name: 'S', amount: 10 }] } };
	const pause = { customerId: byId('c1'), subscriptionId: byId('s1') };

	/** What comes of a response to a charge, and to a pause: the `response` in the item, or the error. */
	async function told(body: string) {
		service.behave(() => ({ body, headers: { 'content-type': 'text/plain' } }));
		const outcome = async (operation: string, form: object) => {
			const { items, error } = await run(service, 'platformCustomers', operation, { ...form });
			return error ? error.message : items[0].json.response;
		};
		return [await outcome('charge.create', charge), await outcome('subscription.pause', pause)];
	}

	test.each([
		['"queued"', 'queued'],
		['7', 7],
		['0', 0],
		['true', true],
	])('%s is data', async (body, response) => {
		expect(await told(body)).toEqual([response, response]);
	});

	const notJson = `The API returned text that isn't JSON. ${DOUBT}`;

	/** A charge in doubt also says what to look for. */
	const ofBoth = (message: string) => [`${message} Look for the charge of 10.00 for c1.`, message];

	test.each([
		['Service unavailable', [ofBoth(notJson)[0], 'Service unavailable']],
		['{"id": 1', ofBoth(notJson)],
		['<html>', ofBoth(`The API returned HTML instead of JSON. ${DOUBT}`)],
		['false', ofBoth(`The API returned false. ${DOUBT}`)],
	])('%s: no text is taken for a payment', async (body, both) => {
		expect(await told(body)).toEqual(both);
	});

	test.each([
		{ success: 0 },
		{ success: '0' },
		{ success: 'False' },
		{ error: 402 },
		{ errors: 'Declined' },
	])('%j is no success', async (body) => {
		for (const message of await told(JSON.stringify(body))) expect(message).toContain(DOUBT);
	});
});
