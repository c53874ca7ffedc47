/**
 * Passkeys: registration and verification with a challenge each. Of a credential only the client
 * data is checked, no signature; CHOICES.md says how a payload is made. Reference: 'Identity and
 * risk'.
 */
import { randomBytes } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { refuse } from '../refusals.cts';
import { failure, findUser, success, userOf } from './identity.cts';

type Ceremony = 'webauthn.create' | 'webauthn.get';

interface Challenge {
	ceremony: Ceremony;
	externalUserId: string;
	/** Base64url, as the options carry it. */
	challenge: string;
	/** Milliseconds since the epoch. */
	expires: number;
}

export interface PasskeysState {
	/** Open ones by their id; each is good for one attempt. */
	challenges: Map<string, Challenge>;
}

const lifetime = 300_000;
const relyingParty = { id: 'sandbox.example', name: 'Sandbox' };

interface PasskeyInput {
	challenge_id: string;
	/** The credential that a browser returns, as an object or as JSON. */
	payload: string | object;
}

/** Opens a challenge; the rest of the options is the caller's. */
function challengeFor(call: Call, ceremony: Ceremony, externalUserId: string, options: object) {
	const challenge = randomBytes(32).toString('base64url');
	const challenge_id = call.newId('chl');
	call.state.passkeys.challenges.set(challenge_id, {
		ceremony,
		externalUserId,
		challenge,
		expires: call.now().getTime() + lifetime,
	});
	return {
		status: 'success',
		passkey: { challenge_id, options: { challenge, timeout: lifetime, ...options } },
	};
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * Ends a challenge of the user.
 * @returns the id of the credential that answers it; undefined when the payload does not
 */
function credentialFor(
	call: Call,
	ceremony: Ceremony,
	externalUserId: string,
	{ challenge_id, payload }: PasskeyInput,
): string | undefined {
	const { challenges } = call.state.passkeys;
	const open = challenges.get(challenge_id);
	if (open?.ceremony !== ceremony || open.externalUserId !== externalUserId) return undefined;
	challenges.delete(challenge_id);
	const credential = (typeof payload === 'string' ? parsed(payload) : payload) as
		{ id?: unknown; response?: { clientDataJSON?: unknown } } | null | undefined;
	const encoded = credential?.response?.clientDataJSON;
	const clientData = parsed(Buffer.from(String(encoded), 'base64url').toString()) as
		{ type?: unknown; challenge?: unknown } | null | undefined;
	const isAnswer =
		open.expires >= call.now().getTime() &&
		clientData?.type === ceremony &&
		clientData.challenge === open.challenge;
	return isAnswer && typeof credential?.id === 'string' ? credential.id : undefined;
}

const descriptors = (passkeys: readonly { id: string }[]) =>
	passkeys.map(({ id }) => ({ type: 'public-key', id }));

export const passkeys: Area<'passkeys'> = {
	seed: () => ({ challenges: new Map() }),

	endpoints: {
		'POST /idp/{externalUserId}/passkey/options.json': (call) => {
			const user = userOf(call);
			const { passkey: input = {} } = (call.body ?? {}) as {
				passkey?: { display_name?: string; account_name?: string };
			};
			const { account_name = user.external_id, display_name = account_name } = input;
			return challengeFor(call, 'webauthn.create', user.external_id, {
				rp: relyingParty,
				user: {
					id: Buffer.from(user.id).toString('base64url'),
					name: account_name,
					displayName: display_name,
				},
				pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
				excludeCredentials: descriptors(user.passkeys),
			});
		},

		'POST /idp/{externalUserId}/passkey/confirm.json': (call) => {
			const { passkey: input } = call.body as { passkey: PasskeyInput & { device?: unknown } };
			const user = userOf(call);
			const id = credentialFor(call, 'webauthn.create', user.external_id, input);
			if (!id) throw refuse('invalidRequest', 'The passkey could not be registered');
			if (user.passkeys.some((passkey) => passkey.id === id)) {
				throw refuse('conflict', 'This passkey is already registered');
			}
			user.passkeys.push({ id, device: input.device });
			return {
				status: 'success',
				passkey: { id, external_id: user.external_id, registered: true },
			};
		},

		'POST /idp/passkey/challenge.json': (call) => {
			const { passkey: input } = call.body as { passkey: { id: string } };
			const user = userOf(call, input.id);
			if (user.passkeys.length === 0) throw refuse('notFound', 'This user has no passkeys');
			return challengeFor(call, 'webauthn.get', user.external_id, {
				rpId: relyingParty.id,
				allowCredentials: descriptors(user.passkeys),
			});
		},

		'POST /idp/passkey/verify.json': (call) => {
			const { passkey: input } = call.body as { passkey: PasskeyInput & { id: string } };
			const user = findUser(call, input.id);
			if (!user || user.is_locked) throw failure(user);
			const id = credentialFor(call, 'webauthn.get', user.external_id, input);
			if (!user.passkeys.some((passkey) => passkey.id === id)) throw failure(user);
			return success(user);
		},

		'DELETE /idp/{externalUserId}/passkey/{credentialId}.json': (call) => {
			const user = userOf(call);
			const { credentialId: id } = call.params;
			if (!user.passkeys.some((passkey) => passkey.id === id)) {
				throw refuse('notFound', 'Passkey not found');
			}
			user.passkeys = user.passkeys.filter((passkey) => passkey.id !== id);
			return { status: 'success', id, message: 'Passkey deleted' };
		},
	},
};
