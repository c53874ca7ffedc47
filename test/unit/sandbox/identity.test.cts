/** Identities, one-time passwords, passkeys and session risk of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { base32, stepOf, totp } from '../../sandbox/totp.cts';
import { open, type Send } from './client.cts';
import { unansweredRows } from './coverage.cts';

let sandbox: Sandbox;
let send: Send;
let close: () => Promise<void>;

beforeAll(async () => ({ sandbox, send, close } = await open({ customers: 1 })));
afterAll(() => close());

const denied = { error: 'Invalid credentials or access denied' };

let users = 0;

/** A new user's external id. */
async function createUser(): Promise<string> {
	users += 1;
	const external_id = `new-${users}`;
	const made = await send('POST', '/idp/user.json', { user: { external_id } });
	expect(made.body).toEqual({ user: { id: expect.any(String), external_id, status: 'active' } });
	return external_id;
}

const profile = async (user: string) =>
	(await send<Record<string, unknown>>('GET', `/idp/${user}.json`)).body;

const succeeded = (id: string) => ({ status: 'success', id, message: expect.any(String) });

describe('users', () => {
	test('creates once and reads', async () => {
		const external_id = await createUser();
		expect(await profile(external_id)).toEqual({
			id: expect.any(String),
			external_id,
			status: 'active',
			has_otp: false,
			has_passkeys: false,
			is_locked: false,
			failed_attempts: 0,
			saas_client_id: sandbox.state.company.company.id,
		});
		const again = await send('POST', '/idp/user.json', { user: { external_id } });
		expect(again.body).toEqual({
			error: 'User with this external_id already exists for this company',
		});
		expect((await send('POST', '/idp/user.json', { user: {} })).status).toBe(400);
		expect((await send('GET', '/idp/nobody.json')).status).toBe(404);
	});

	test('seeds users with all kinds of factors', async () => {
		const factors = { has_otp: false, has_passkeys: false, is_locked: false };
		expect(await profile('user-1')).toMatchObject({ ...factors, has_otp: true });
		expect(await profile('user-2')).toMatchObject({ ...factors, has_passkeys: true });
		expect(await profile('user-4')).toMatchObject({ is_locked: true, failed_attempts: 5 });
	});
});

describe('one-time passwords', () => {
	test.each([
		[59, '287082'],
		[1_111_111_109, '081804'],
		[1_111_111_111, '050471'],
		[1_234_567_890, '005924'],
		[2_000_000_000, '279037'],
		[20_000_000_000, '353130'],
	])('holds to the test vector of RFC 6238 at second %i', (second, code) => {
		const secret = base32(Buffer.from('12345678901234567890'));
		expect(totp(secret, stepOf(new Date(second * 1000)))).toBe(code);
	});

	test('writes base32 as RFC 4648 shows it', () => {
		expect(['f', 'fo', 'foo', 'foob', 'fooba'].map((text) => base32(Buffer.from(text)))).toEqual([
			'MY',
			'MZXQ',
			'MZXW6',
			'MZXW6YQ',
			'MZXW6YTB',
		]);
	});

	async function setUp(user: string): Promise<string> {
		const otp = { issuer_name: 'Pine & Co', account_name: 'ada@pine.example' };
		const { body } = await send<{
			user: { new_otp_secret: string; qrcode_payload: string };
		}>('POST', `/idp/${user}/otp.json`, { otp });
		expect(body.user).toMatchObject({ external_id: user, is_setup_complete: false });
		const uri = new URL(body.user.qrcode_payload);
		expect(uri.protocol).toBe('otpauth:');
		expect(uri.searchParams.get('secret')).toBe(body.user.new_otp_secret);
		expect(uri.searchParams.get('issuer')).toBe('Pine & Co');
		return body.user.new_otp_secret;
	}

	const verify = (id: string, code: unknown) =>
		send('POST', '/idp/otp/verify.json', { otp: { id, code } });

	const codeNow = (secret: string, stepsAway = 0) => totp(secret, stepOf(new Date()) + stepsAway);

	/** Waits, if need be, so that a code is not a step older when it arrives. */
	async function farFromNextStep(): Promise<void> {
		const left = 30_000 - (Date.now() % 30_000);
		if (left < 1_000) await new Promise((resolve) => setTimeout(resolve, left));
	}

	/** A code that is right neither now nor about now. */
	function wrongCode(secret: string): string {
		const right = [-2, -1, 0, 1, 2].map((steps) => codeNow(secret, steps));
		return ['111111', '222222', '333333', '444444', '555555', '666666'].find(
			(code) => !right.includes(code),
		) as string;
	}

	test('is complete with the first right code, and each code is good once', async () => {
		const user = await createUser();
		const secret = await setUp(user);
		expect(await profile(user)).toMatchObject({ has_otp: false });
		const code = codeNow(secret);
		expect((await verify(user, code)).body).toEqual(succeeded(user));
		expect(await profile(user)).toMatchObject({ has_otp: true });
		expect((await verify(user, code)).body).toEqual(denied);
	});

	test('takes the code of one step before and of none that is older', async () => {
		const user = await createUser();
		const secret = await setUp(user);
		expect((await verify(user, codeNow(secret, -3))).body).toEqual(denied);
		await farFromNextStep();
		expect((await verify(user, codeNow(secret, -1))).body).toEqual(succeeded(user));
	});

	test('makes the secret before useless', async () => {
		const user = await createUser();
		const old = await setUp(user);
		const secret = await setUp(user);
		expect(secret).not.toBe(old);
		expect((await verify(user, codeNow(old))).body).toEqual(denied);
		expect((await verify(user, codeNow(secret))).body).toEqual(succeeded(user));
	});

	test('counts failures, forgets them on success, and locks after five', async () => {
		const user = await createUser();
		const secret = await setUp(user);
		const wrong = wrongCode(secret);
		expect((await verify(user, wrong)).body).toEqual(denied);
		expect(await profile(user)).toMatchObject({ failed_attempts: 1, is_locked: false });
		expect((await verify(user, codeNow(secret))).body).toEqual(succeeded(user));
		expect(await profile(user)).toMatchObject({ failed_attempts: 0 });
		for (let attempt = 0; attempt < 5; attempt += 1) await verify(user, wrong);
		expect(await profile(user)).toMatchObject({ failed_attempts: 5, is_locked: true });
		expect((await verify(user, codeNow(secret, 1))).body).toEqual(denied);
	});

	test.each([
		['an unknown user', 'nobody', '123456'],
		['a code that is no number', 'user-1', 'abc'],
		['an empty code', 'user-1', ''],
		['a user without a one-time password', 'user-5', '123456'],
	])('denies %s', async (_case, id, code) => {
		expect((await verify(id, code)).body).toEqual(denied);
	});

	test('needs all values', async () => {
		expect((await verify('user-1', undefined)).body).toEqual({ error: 'Invalid request' });
		const half = { otp: { issuer_name: 'Pine' } };
		expect((await send('POST', '/idp/user-1/otp.json', half)).status).toBe(400);
		const whole = { otp: { issuer_name: 'Pine', account_name: 'a' } };
		expect((await send('POST', '/idp/nobody/otp.json', whole)).status).toBe(404);
	});

	test('gives ten backup codes, each good once, until there are new ones', async () => {
		const user = await createUser();
		const generate = async () =>
			(await send<{ user: { backupCodes: string[] } }>('POST', `/idp/${user}/backupcodes.json`))
				.body.user.backupCodes;
		const codes = await generate();
		expect(new Set(codes).size).toBe(10);
		expect(codes.every((code) => /^\d+$/.test(code) && code.length !== 6)).toBe(true);
		expect((await verify(user, codes[3])).body).toEqual(succeeded(user));
		expect((await verify(user, codes[3])).body).toEqual(denied);
		expect((await verify(user, codes[4])).body).toEqual(succeeded(user));
		await generate();
		expect((await verify(user, codes[5])).body).toEqual(denied);
		expect((await send('POST', '/idp/nobody/backupcodes.json')).status).toBe(404);
	});
});

describe('passkeys', () => {
	interface Options {
		status: string;
		passkey: { challenge_id: string; options: Record<string, unknown> & { challenge: string } };
	}

	/** What a browser would return for a challenge. */
	const credential = (id: string, type: string, challenge: string) => ({
		id,
		type: 'public-key',
		response: {
			clientDataJSON: Buffer.from(
				JSON.stringify({ type, challenge, origin: 'https://sandbox.example' }),
			).toString('base64url'),
		},
	});

	const start = async (user: string, body?: object) =>
		(await send<Options>('POST', `/idp/${user}/passkey/options.json`, body)).body.passkey;

	const confirm = (user: string, challenge_id: string, payload: unknown) =>
		send('POST', `/idp/${user}/passkey/confirm.json`, {
			passkey: { challenge_id, payload, device: 'Laptop' },
		});

	const challenge = async (id: string) =>
		(await send<Options>('POST', '/idp/passkey/challenge.json', { passkey: { id } })).body.passkey;

	const verify = (id: string, challenge_id: string, payload: unknown) =>
		send('POST', '/idp/passkey/verify.json', { passkey: { id, challenge_id, payload } });

	/** Registers a passkey of this id. */
	async function register(user: string, id: string): Promise<void> {
		const { challenge_id, options } = await start(user);
		const payload = credential(id, 'webauthn.create', options.challenge);
		const done = await confirm(user, challenge_id, payload);
		expect(done.body).toEqual({
			status: 'success',
			passkey: { id, external_id: user, registered: true },
		});
	}

	test('registers, verifies and deletes', async () => {
		const user = await createUser();
		await register(user, 'key-1');
		expect(await profile(user)).toMatchObject({ has_passkeys: true });

		const { challenge_id, options } = await challenge(user);
		expect(options).toMatchObject({ allowCredentials: [{ type: 'public-key', id: 'key-1' }] });
		const payload = JSON.stringify(credential('key-1', 'webauthn.get', options.challenge));
		expect((await verify(user, challenge_id, payload)).body).toEqual(succeeded(user));
		expect((await verify(user, challenge_id, payload)).body).toEqual(denied);

		const path = `/idp/${user}/passkey/key-1.json`;
		expect((await send('DELETE', path)).body).toEqual(succeeded('key-1'));
		expect(await profile(user)).toMatchObject({ has_passkeys: false });
		expect((await send('DELETE', path)).status).toBe(404);
		const none = { passkey: { id: user } };
		expect((await send('POST', '/idp/passkey/challenge.json', none)).status).toBe(404);
	});

	test('puts the names into the options', async () => {
		const user = await createUser();
		const { options } = await start(user, {
			passkey: { display_name: 'Ada', account_name: 'ada@pine.example' },
		});
		expect(options).toMatchObject({ user: { name: 'ada@pine.example', displayName: 'Ada' } });
		expect((await start(user)).options).toMatchObject({ user: { name: user } });
	});

	test('registers only what answers the challenge, once, for its user', async () => {
		const user = await createUser();
		const other = await createUser();
		await register(other, 'key-2');
		type Attempt = (id: string, challenge: string) => [string, string, unknown];
		const attempts: Attempt[] = [
			(_id, text) => [user, 'chl-none', credential('key-2', 'webauthn.create', text)],
			(id, text) => [other, id, credential('key-3', 'webauthn.create', text)],
			(id) => [user, id, credential('key-2', 'webauthn.create', 'other')],
			(id, text) => [user, id, credential('key-2', 'webauthn.get', text)],
			(id) => [user, id, 'no JSON'],
			(id) => [user, id, {}],
		];
		for (const attempt of attempts) {
			const { challenge_id, options } = await start(user);
			const refused = await confirm(...attempt(challenge_id, options.challenge));
			expect(refused.status).toBe(400);
		}
		expect(await profile(user)).toMatchObject({ has_passkeys: false });
		const { challenge_id, options } = await start(other);
		const known = credential('key-2', 'webauthn.create', options.challenge);
		expect((await confirm(other, challenge_id, known)).status).toBe(409);
	});

	test('denies a passkey of another user, an old challenge and a locked user', async () => {
		const user = await createUser();
		await register(user, 'key-4');
		const foreign = await challenge(user);
		const wrong = credential('key-2', 'webauthn.get', foreign.options.challenge);
		expect((await verify(user, foreign.challenge_id, wrong)).body).toEqual(denied);
		expect(await profile(user)).toMatchObject({ failed_attempts: 1 });

		const old = await challenge(user);
		const opened = sandbox.state.passkeys.challenges.get(old.challenge_id);
		if (opened) opened.expires = Date.now() - 1;
		const late = credential('key-4', 'webauthn.get', old.options.challenge);
		expect((await verify(user, old.challenge_id, late)).body).toEqual(denied);

		const fresh = await challenge(user);
		const right = credential('key-4', 'webauthn.get', fresh.options.challenge);
		const row = sandbox.state.identity.users.findBy('external', user);
		if (row) row.is_locked = true;
		expect((await verify(user, fresh.challenge_id, right)).body).toEqual(denied);
		if (row) row.is_locked = false;
		expect((await verify(user, fresh.challenge_id, right)).body).toEqual(succeeded(user));
		expect((await verify('nobody', fresh.challenge_id, right)).body).toEqual(denied);
	});
});

describe('session risk', () => {
	const assess = (body: unknown) => send('POST', '/sentinel/verify.json', body);
	const [ip, ua] = ['203.0.113.9', 'Mozilla/5.0'];

	test('asks for a second factor from an address of bad repute', async () => {
		const body = { sentinel: { id: 'session-1', context: { ip, ua, user_id: 'user-2' } } };
		expect((await assess(body)).body).toEqual({
			success: true,
			event_id: expect.any(String),
			user_id: 'user-2',
			ip,
			geo_country: 'ZZ',
			risk_score: 80,
			risk_band: 'high',
			decision_advice: 'challenge_mfa',
			decision: 'challenge_mfa',
			recommended_factor: 'passkey',
			reasons: ['ip_reputation'],
			verification_cost_ms: expect.any(Number),
		});
	});

	test('reads the legacy envelope as the current one', async () => {
		const current = {
			sentinel: { id: 's-1', context: { ip: '192.0.2.1', ua, user_id: 'user-1' } },
		};
		const legacy = {
			event: { user_id: 'user-1', ip: '192.0.2.1', user_agent: ua, sentinel_session: 's-1' },
		};
		const [first, second] = await Promise.all([current, legacy].map(assess));
		expect(first.body).toMatchObject({ success: true, risk_band: 'low', decision: 'allow' });
		expect(second.body).toEqual({ ...(first.body as object), event_id: expect.any(String) });
	});

	test.each([
		['no body', undefined],
		['an empty body', {}],
		['no context', { sentinel: { id: 's-1' } }],
		['no id', { sentinel: { context: { ip, ua } } }],
		['an empty address', { sentinel: { id: 's-1', context: { ip: '', ua } } }],
		['an empty legacy event', { event: {} }],
		['a legacy event without a session', { event: { ip, user_agent: ua, user_id: 'user-1' } }],
	])('answers success false to %s', async (_case, body) => {
		const answer = await assess(body);
		expect(answer.body).toEqual({
			success: false,
			message: expect.stringMatching(/^Missing: /),
		});
	});
});

test('has answered every row of the area', () => {
	expect(unansweredRows(sandbox, 'Identity')).toEqual([]);
	expect(sandbox.problems.filter((problem) => !problem.startsWith('Request'))).toEqual([]);
});
