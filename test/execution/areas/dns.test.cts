// Platform DNS: lookups and what they can ask for.
import { areaOf } from '../host/run.cts';

const { sandbox, run } = areaOf('platformDns', {}, { simplify: false });
const office = { id: 'office', label: 'Office', server: '192.0.2.53' };

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
