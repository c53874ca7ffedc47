/** Managed identities with one-time passwords and backup codes. Reference: 'Identity and risk'. */
import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { refuse, type Refusal } from '../refusals.cts';
import { seedUsers } from '../seeds/identity.cts';

interface Passkey {
	/** The id of the WebAuthn credential. */
	id: string;
	device?: unknown;
}

export interface User {
	id: string;
	external_id: string;
	status: string;
	/** Confirmed by the first right code. */
	otp: { secret: string; isConfirmed: boolean } | null;
	/** Those not used yet. */
	backupCodes: string[];
	passkeys: Passkey[];
	/** Since the last success. */
	failed_attempts: number;
	is_locked: boolean;
}

export interface IdentityState {
	/** With an index `external`. */
	users: Collection<User>;
}

const backupCodeCount = 10;
const attemptsUntilLocked = 5;

/** The one-time code of a secret: always the same one, so that no clock decides. */
export function codeOf(secret: string): string {
	const number = createHash('sha256').update(secret).digest().readUInt32BE(0) % 1_000_000;
	return String(number).padStart(6, '0');
}

/** The user with an external id. */
export const findUser = ({ state }: Call, externalId: string): User | undefined =>
	state.identity.users.findBy('external', externalId);

/** The user of a path, or of the external id that is given. */
export function userOf(call: Call, externalId = call.params.externalUserId): User {
	const user = findUser(call, externalId);
	if (!user) throw refuse('notFound', 'User not found');
	return user;
}

/** Counts a wrong attempt, which may lock the user, and gives its refusal. */
export function failure(user: User | undefined): Refusal {
	if (user) {
		user.failed_attempts += 1;
		user.is_locked ||= user.failed_attempts >= attemptsUntilLocked;
	}
	return refuse('badCode');
}

/** What a verification that went well answers. */
export function success(user: User): Record<string, unknown> {
	user.failed_attempts = 0;
	return { status: 'success', id: user.external_id, message: 'Verification succeeded' };
}

function usesOtp({ otp }: User, code: string): boolean {
	if (!otp || codeOf(otp.secret) !== code) return false;
	otp.isConfirmed = true;
	return true;
}

function usesBackupCode(user: User, code: string): boolean {
	const isKnown = user.backupCodes.includes(code);
	user.backupCodes = user.backupCodes.filter((other) => other !== code);
	return isKnown;
}

/** @param digits of each code */
function newBackupCodes(digits: number): string[] {
	const codes = new Set<string>();
	while (codes.size < backupCodeCount) {
		codes.add(String(randomInt(10 ** digits)).padStart(digits, '0'));
	}
	return [...codes];
}

interface OtpInput {
	id: string;
	code: string;
}

/** A code that is not a number is a bad one. */
function invalidOtp({ body }: Call): Refusal {
	const otp = (body as { otp?: Partial<OtpInput> } | undefined)?.otp;
	return refuse(otp?.id && typeof otp.code === 'string' ? 'badCode' : 'invalidRequest');
}

export const identity: Area<IdentityState> = {
	seed: ({ random }) => ({
		users: new Collection(seedUsers(random), { external: ({ external_id }) => external_id }),
	}),

	endpoints: {
		'POST /idp/user.json': (call) => {
			const { user: input } = call.body as { user: { external_id: string } };
			const user: User = {
				id: call.newId('idp'),
				external_id: input.external_id,
				status: 'active',
				otp: null,
				backupCodes: [],
				passkeys: [],
				failed_attempts: 0,
				is_locked: false,
			};
			if (call.state.identity.users.clashOf(user)) throw refuse('userExists');
			const { id, external_id, status } = call.state.identity.users.add(user);
			return { user: { id, external_id, status } };
		},

		'GET /idp/{externalUserId}.json': (call) => {
			const { id, external_id, status, otp, passkeys, is_locked, failed_attempts } = userOf(call);
			return {
				id,
				external_id,
				status,
				has_otp: otp?.isConfirmed ?? false,
				has_passkeys: passkeys.length > 0,
				is_locked,
				failed_attempts,
				saas_client_id: call.state.company.company.id,
			};
		},

		'POST /idp/{externalUserId}/otp.json': (call) => {
			const { otp: input } = call.body as { otp: { issuer_name: string; account_name: string } };
			const user = userOf(call);
			const secret = randomBytes(20).toString('hex');
			user.otp = { secret, isConfirmed: false };
			const [issuer, account] = [input.issuer_name, input.account_name].map(encodeURIComponent);
			const settings = `secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`;
			return {
				user: {
					external_id: user.external_id,
					new_otp_secret: secret,
					qrcode_payload: `otpauth://totp/${issuer}:${account}?${settings}`,
					is_setup_complete: false,
				},
			};
		},

		'POST /idp/otp/verify.json': {
			invalid: invalidOtp,
			handle: (call) => {
				const { otp: input } = call.body as { otp: OtpInput };
				const user = findUser(call, input.id);
				if (!user || user.is_locked) throw failure(user);
				const isRight = usesOtp(user, input.code) || usesBackupCode(user, input.code);
				if (!isRight) throw failure(user);
				return success(user);
			},
		},

		'POST /idp/{externalUserId}/backupcodes.json': (call) => {
			const user = userOf(call);
			user.backupCodes = newBackupCodes(Number(call.world.backupCodes));
			return { user: { backupCodes: user.backupCodes } };
		},
	},
};
