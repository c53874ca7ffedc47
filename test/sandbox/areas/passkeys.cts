/**
 * Passkeys: registration and verification with a challenge each. Of a credential only the id is read, no
 * signature is checked. Reference: 'Identity and risk'.
 */
import { randomBytes } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { refuse } from '../refusals.cts';
import { failure, findUser, success, userOf } from './identity.cts';

export interface PasskeysState {
	/** The external user IDs of open challenges, by their IDs; each is good for one attempt. */
	challenges: Map<string, string>;
}

interface PasskeyInput {
	challenge_id: string;
	/** The credential that a browser returns, as an object or as JSON. */
	payload: string | object;
}

/** Opens a challenge. */
function challengeFor(call: Call, externalUserId: string) {
	const challenge_id = call.newId('chl');
	call.state.passkeys.challenges.set(challenge_id, externalUserId);
	const options = { challenge: randomBytes(32).toString('base64url') };
	return { status: 'success', passkey: { challenge_id, options } };
}

/** Ends a challenge of the user; the id of the credential, undefined where either is wrong. */
function credentialFor({ state }: Call, externalUserId: string, input: PasskeyInput) {
	const { challenge_id, payload } = input;
	const { challenges } = state.passkeys;
	if (challenges.get(challenge_id) !== externalUserId) return undefined;
	challenges.delete(challenge_id);
	const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return /"id":\s*"([^"]+)"/.exec(text)?.[1];
}

export const passkeys: Area<'passkeys'> = {
	seed: () => ({ challenges: new Map() }),

	endpoints: {
		'POST /idp/{externalUserId}/passkey/options.json': (call) =>
			challengeFor(call, userOf(call).external_id),

		'POST /idp/{externalUserId}/passkey/confirm.json': (call) => {
			const { passkey: input } = call.body as { passkey: PasskeyInput & { device?: unknown } };
			const { external_id, passkeys: own } = userOf(call);
			const id = credentialFor(call, external_id, input);
			if (!id) throw refuse('invalidRequest', 'The passkey could not be registered');
			own.push({ id, device: input.device });
			return { status: 'success', passkey: { id, external_id, registered: true } };
		},

		'POST /idp/passkey/challenge.json': (call) => {
			const { passkey: input } = call.body as { passkey: { id: string } };
			return challengeFor(call, userOf(call, input.id).external_id);
		},

		'POST /idp/passkey/verify.json': (call) => {
			const { passkey: input } = call.body as { passkey: PasskeyInput & { id: string } };
			const user = findUser(call, input.id);
			const id = user && !user.is_locked && credentialFor(call, user.external_id, input);
			if (!user?.passkeys.some((passkey) => passkey.id === id)) throw failure(user);
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
