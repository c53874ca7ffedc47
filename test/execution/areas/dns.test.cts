// Platform DNS: lookups and what they can ask for.
import { areaOf } from '../host/run.cts';

const { sandbox, run } = areaOf('platformDns', {}, { simplify: false });

const sent = () => sandbox().requests.map(({ method, path, body }) => ({ method, path, body }));
const office = { id: 'office', label: 'Office', server: '192.0.2.53' };

test('a lookup without choices asks for the target alone', async () => {
	const { items } = await run('lookup.run', { target: 'example.com' });
	expect(sent()).toEqual([
		{ method: 'GET', path: '/dns/lookup.json?target=example.com', body: undefined },
	]);
	expect(items[0].json).toMatchObject({
		target: 'example.com',
		recordTypes: sandbox().state.dns.defaultRecordTypes,
	});
});

test('choices travel in the query, each value by itself', async () => {
	const { items } = await run('lookup.run', {
		target: 'example.com',
		additionalFields: {
			recordTypes: ['MX', 'TXT'],
			resolverPreset: { __rl: true, mode: 'list', value: 'public' },
			customResolvers: { __rl: true, mode: 'name', value: '192.0.2.7, 192.0.2.8' },
		},
	});
	const query = new URLSearchParams(sandbox().requests[0].path.split('?')[1]);
	expect(query.getAll('target')).toEqual(['example.com']);
	expect(query.getAll('recordTypes')).toEqual(['MX', 'TXT']);
	expect(query.getAll('resolverPreset')).toEqual(['public']);
	expect(query.getAll('customResolvers')).toEqual(['192.0.2.7, 192.0.2.8']);
	expect(items[0].json).toMatchObject({ recordTypes: ['MX', 'TXT'], resolver_count: 5 });
});

test('a text of record types and an array of presets are sent as they are', async () => {
	const { error } = await run('lookup.runWithResolvers', {
		target: '192.0.2.1',
		additionalFields: {
			recordTypes: '={{ "A AAAA" }}',
			resolverPreset: '={{ ["public", "north"] }}',
		},
	});
	expect(error).toBeUndefined();
	expect(sent()[0].body).toEqual({
		target: '192.0.2.1',
		recordTypes: 'A AAAA',
		resolverPreset: ['public', 'north'],
	});
});

test.each([
	['rows', { resolversAs: 'fields', resolvers: { resolver: [office] } }],
	['JSON', { resolversAs: 'json', resolversJson: JSON.stringify([office]) }],
	['an expression', { resolversAs: 'json', resolversJson: `={{ [${JSON.stringify(office)}] }}` }],
])('additional resolvers come from %s', async (_case, resolvers) => {
	const { items } = await run('lookup.runWithResolvers', { target: 'example.com', ...resolvers });
	expect(sent()).toEqual([
		{
			method: 'POST',
			path: '/dns/lookup.json',
			body: { target: 'example.com', resolvers: [office] },
		},
	]);
	expect(items[0].json.resolvers).toContainEqual(office);
});

test('only the kind of resolvers that was chosen is sent', async () => {
	await run('lookup.runWithResolvers', {
		target: 'example.com',
		resolversAs: 'json',
		resolvers: { resolver: [{ server: '192.0.2.99' }] },
		resolversJson: '["192.0.2.53"]',
	});
	expect(sent()[0].body).toEqual({ target: 'example.com', resolvers: ['192.0.2.53'] });
});

test('custom resolvers come as an array too, and go out as one text', async () => {
	await run('lookup.run', {
		target: 'example.com',
		additionalFields: {
			customResolvers: { __rl: true, mode: 'name', value: '={{ ["192.0.2.7", "192.0.2.8"] }}' },
		},
	});
	const query = new URLSearchParams(sandbox().requests[0].path.split('?')[1]);
	expect(query.getAll('customResolvers')).toEqual(['192.0.2.7,192.0.2.8']);
});

describe('hints', () => {
	const preset = (value: string) => ({ resolverPreset: { __rl: true, mode: 'name', value } });
	const custom = (value: string) => ({ customResolvers: { __rl: true, mode: 'name', value } });
	const answer = (more: object) => {
		sandbox().faults.add({
			kind: 'status',
			status: 200,
			times: 1,
			body: { target: 'example.com', recordTypes: ['A'], resolvers: [office], ...more },
		});
	};
	const hintsOf = async (operation: string, additionalFields: object) =>
		(await run(operation, { target: 'example.com', additionalFields })).hints;

	test.each<[string, object, object, RegExp | undefined]>([
		['all record types in one text', { recordTypes: '={{ "a, AAAA" }}' }, {}, undefined],
		['one preset', preset('public'), {}, undefined],
		['several presets without an echo', preset('={{ ["public", "north"] }}'), {}, /public, north/],
		[
			'several presets with an echo',
			preset('={{ ["public", "north"] }}'),
			{ resolverPreset: ['north', 'public'] },
			undefined,
		],
		[
			'a preset that the echo lacks',
			preset('={{ ["public", "north"] }}'),
			{ resolverPreset: 'north' },
			/preset public/,
		],
		['a resolver of the echo', custom('192.0.2.53'), {}, undefined],
		['a resolver that the echo lacks', custom('192.0.2.53, 192.0.2.9'), {}, /192\.0\.2\.9/],
		['a resolver without an echo', custom('192.0.2.9'), { resolvers: null }, undefined],
	])('%s', async (_what, fields, more, says) => {
		answer({ recordTypes: ['A', 'AAAA'], ...more });
		const hints = await hintsOf('lookup.run', fields);
		const messages = hints.join();
		if (says === undefined) expect(messages).toBe('');
		else expect(messages).toMatch(says);
	});
});
