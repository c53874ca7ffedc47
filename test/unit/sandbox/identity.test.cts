/** Identities, one-time passwords, passkeys and session risk of the sandbox. */
import type { Sandbox } from '../../sandbox/index.cts';
import { base32, stepOf, totp } from '../../sandbox/totp.cts';
import { open, type Send } from './client.cts';

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

describe('session risk', () => {
	const assess = (body: unknown) => send('POST', '/sentinel/verify.json', body);
	const ua = 'Mozilla/5.0';

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
});
