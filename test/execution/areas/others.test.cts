// Areas with few peculiarities: lookups of DNS, checks of persons, runs of workflows.
import { areaOf, byId } from '../host/run.cts';

const dns = areaOf('platformDns', {}, { simplify: false });
const identity = areaOf('platformIdentity');
const workflows = areaOf('platformWorkflows');

const office = { id: 'office', label: 'Office', server: '192.0.2.53' };

test('choices of a lookup travel in the query, each value by itself', async () => {
	const { items } = await dns.run('lookup.run', {
		target: 'example.com',
		additionalFields: {
			recordTypes: ['MX', 'TXT'],
			resolverPreset: { __rl: true, mode: 'list', value: 'public' },
			customResolvers: { __rl: true, mode: 'name', value: '192.0.2.7, 192.0.2.8' },
		},
	});
	const query = new URLSearchParams(dns.sandbox().requests[0].path.split('?')[1]);
	expect(query.getAll('target')).toEqual(['example.com']);
	expect(query.getAll('recordTypes')).toEqual(['MX', 'TXT']);
	expect(query.getAll('resolverPreset')).toEqual(['public']);
	expect(query.getAll('customResolvers')).toEqual(['192.0.2.7, 192.0.2.8']);
	expect(items[0].json).toMatchObject({ recordTypes: ['MX', 'TXT'], resolver_count: 5 });
});

describe('hints of a lookup', () => {
	const preset = (value: string) => ({ resolverPreset: { __rl: true, mode: 'name', value } });
	const custom = (value: string) => ({ customResolvers: { __rl: true, mode: 'name', value } });
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
		dns.sandbox().faults.add({
			kind: 'status',
			status: 200,
			body: { target: 'example.com', recordTypes: ['A', 'AAAA'], resolvers: [office], ...more },
		});
		const form = { target: 'example.com', additionalFields: fields };
		const { hints } = await dns.run('lookup.run', form);
		expect(hints).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
	});
});

let users = 0;

/** A new user's external ID, with a slash as ids of other systems may have. */
async function newUser(): Promise<string> {
	users += 1;
	const externalUserId = `people/${users}`;
	await identity.rowsOf('user.create', { externalUserId });
	identity.sandbox().clearRequests();
	return externalUserId;
}

describe('one-time passwords', () => {
	const names = { issuerName: 'Example Shop', accountName: 'ada@example.com' };

	test('a wrong code is an error that counts once, and does not show the code', async () => {
		const externalUserId = await newUser();
		await identity.rowsOf('oneTimePassword.setUp', { externalUserId, ...names });
		const { error } = await identity.run('oneTimePassword.verify', {
			externalUserId,
			code: '00000000',
		});
		expect(error?.message).toContain('Invalid credentials or access denied');
		expect(JSON.stringify({ ...error, message: error?.message })).not.toContain('00000000');
		expect(await identity.one('user.get', { externalUserId })).toMatchObject({
			failed_attempts: 1,
		});
	});

	test('a code is not sent again', async () => {
		const externalUserId = await newUser();
		identity.sandbox().faults.add({ kind: 'reset-after', times: 1 });
		expect(
			await identity.faultOf('oneTimePassword.verify', { externalUserId, code: '123456' }),
		).toContain("it wasn't retried");
		expect(identity.sent()).toEqual(['POST /idp/otp/verify.json']);
	});
});

test.each(['passkey.startRegistration', 'passkey.startVerification'])(
	'%s says what running it again does',
	async (operation) => {
		identity.sandbox().faults.add({ kind: 'status', status: 500, body: { error: 'Broken' } });
		const form = { externalUserId: 'user-1', requests: { retryTime: 0 } };
		const fault = await identity.faultOf(operation, form);
		expect(fault).toContain('Running it again is safe: it starts another challenge.');
		expect(fault).not.toContain('It may have gone through');
	},
);

const named = (text: string) => {
	const { rows } = workflows.sandbox().state.workflows.workflows;
	return (rows.find(({ name }) => name.includes(text)) as { id: string }).id;
};

test('data of a workflow is an empty object by default', async () => {
	await workflows.run('workflow.run', { workflowId: byId(named('Welcome')) });
	expect(workflows.bodies()).toEqual([{ data: {} }]);
});

test('runs of a workflow come one after the other, and none twice', async () => {
	workflows.sandbox().faults.add({ kind: 'delay', ms: 20 });
	workflows.sandbox().faults.add({ kind: 'reset-after', method: 'POST', nth: 2 });
	const { items, errors } = await workflows.run(
		'workflow.run',
		{ workflowId: byId(named('Welcome')), data: '={{ $json }}' },
		{
			items: [{ n: 1 }, { n: 2 }, { n: 3 }],
			settings: { onError: 'continueErrorOutput' },
		},
	);
	expect(workflows.sandbox().requests.map(({ body, inFlight }) => [body, inFlight])).toEqual(
		[1, 2, 3].map((n) => [{ data: { n } }, 1]),
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
	expect(errors.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
});
