// Platform Identity: users, one-time passwords, backup codes, passkeys and session risk.
import { told } from '../host/host.cts';
import { areaOf } from '../host/run.cts';

const { sandbox, run, rowsOf, one, faultOf, sent } = areaOf('platformIdentity');

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
