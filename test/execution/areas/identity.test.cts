// Platform Identity: users, one-time passwords, backup codes, passkeys and session risk.
import { packageNodes } from '../host/package.cts';
import { told } from '../host/host.cts';
import { areaOf } from '../host/run.cts';

const { sandbox, run, rowsOf, one, faultOf, bodies, sent } = areaOf('platformIdentity');
const node = 'platformIdentity';

let users = 0;

/** A new user's external ID, with a slash as ids of other systems may have. */
async function newUser(): Promise<string> {
	users += 1;
	const externalUserId = `people/${users}`;
	await rowsOf('user.create', { externalUserId });
	sandbox().clearRequests();
	return externalUserId;
}

describe('one-time passwords', () => {
	const names = { issuerName: 'Example Shop', accountName: 'ada@example.com' };

	test('a wrong code is an error that counts once, and does not show the code', async () => {
		const externalUserId = await newUser();
		await rowsOf('oneTimePassword.setUp', { externalUserId, ...names });
		const { error } = await run('oneTimePassword.verify', { externalUserId, code: '00000000' });
		expect(error?.message).toContain('Invalid credentials or access denied');
		expect(JSON.stringify({ ...error, message: error?.message })).not.toContain('00000000');
		expect(await one('user.get', { externalUserId })).toMatchObject({ failed_attempts: 1 });
	});

	test.each([['reset-after' as const], ['status' as const]])(
		'a code is not sent again after %s',
		async (kind) => {
			const externalUserId = await newUser();
			sandbox().faults.add({ kind, status: 500, times: 1 });
			expect(await faultOf('oneTimePassword.verify', { externalUserId, code: '123456' })).toContain(
				"it wasn't retried",
			);
			expect(sent()).toEqual(['POST /idp/otp/verify.json']);
		},
	);
});

test('ten backup codes come as items, each good once', async () => {
	const externalUserId = await newUser();
	const { items } = await run('backupCode.generate', { externalUserId });
	const codes = items.map(({ json }) => json.code);
	expect(new Set(codes).size).toBe(10);
	expect(items.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
		codes.map((code) => ({ json: { code }, pairedItem: { item: 0 } })),
	);
	const form = packageNodes()[node].description.properties.filter(({ displayOptions }) =>
		displayOptions?.show?.resource?.includes('backupCode'),
	);
	expect(form.map(({ name }) => name)).not.toContain('limit');
});

describe('passkeys', () => {
	test('one is registered with names and device; its object comes from an expression', async () => {
		const externalUserId = await newUser();
		const start = await one('passkey.startRegistration', {
			externalUserId,
			additionalFields: { displayName: 'Ada L.', accountName: 'ada' },
		});
		expect(start).toEqual({
			status: expect.any(String),
			challenge_id: expect.any(String),
			options: expect.objectContaining({ challenge: expect.any(String) }),
		});
		const body = { credential: { id: 'cred-1', response: {} } };
		const confirmed = await one(
			'passkey.confirmRegistration',
			{
				externalUserId,
				challengeId: start.challenge_id,
				payload: '={{ $json.body.credential }}',
				additionalFields: { device: 'Laptop' },
			},
			{ items: [{ body }] },
		);
		expect(confirmed).toEqual({
			status: expect.any(String),
			id: 'cred-1',
			external_id: externalUserId,
			registered: true,
		});
		expect(bodies()).toEqual([
			{ passkey: { display_name: 'Ada L.', account_name: 'ada' } },
			{
				passkey: {
					challenge_id: start.challenge_id,
					payload: body.credential,
					device: 'Laptop',
				},
			},
		]);
	});
});

describe('session risk', () => {
	const session = { sentinelId: 'user-1', ip: '203.0.113.9', userAgent: 'Mozilla/5.0' };

	test('the legacy format sends an event and nothing of the other form', async () => {
		const assessed = await one('risk.assessSession', {
			...session,
			format: 'legacy',
			sentinelSession: 'ses-1',
			eventIp: '2001:db8::1',
			eventUserAgent: 'App/1',
			eventUserId: 'user-3',
		});
		expect(bodies()).toEqual([
			{
				event: {
					sentinel_session: 'ses-1',
					ip: '2001:db8::1',
					user_agent: 'App/1',
					user_id: 'user-3',
				},
			},
		]);
		expect(assessed).toMatchObject({ success: true, user_id: 'user-3' });
	});

	test('success false is an error with the message of the API', async () => {
		const { items, error } = await run('risk.assessSession', {
			format: 'legacy',
			eventUserId: 'user-3',
		});
		expect(items).toEqual([]);
		expect(error?.message).toContain('Missing: session, ip, user agent');
	});
});

describe('the start of a passkey', () => {
	const start: Array<[string, object]> = [
		['passkey.startRegistration', { externalUserId: 'user-1' }],
		['passkey.startVerification', { externalUserId: 'user-2' }],
	];

	test.each(start)('%s says what running it again does', async (operation, form) => {
		sandbox().faults.add({ kind: 'status', status: 500, body: { error: 'Broken' } });
		const { error } = await run(operation, { ...form, requests: { retryTime: 0 } });
		expect(told(error)).toContain('Running it again is safe: it starts another challenge.');
		expect(told(error)).not.toContain('It may have gone through');
	});
});
