/**
 * Passkeys: of a credential only the id is read. Any challenge is good, and no signature is checked.
 * Reference: 'Identity and risk'.
 */
import { randomBytes } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { refuse } from '../refusals.cts';
import { failure, findUser, success, userOf } from './identity.cts';

interface PasskeyInput {
	/** The credential that a browser returns, as an object or as JSON. */
	payload: string | object;
}

function challenge(call: Call) {
	const options = { challenge: randomBytes(32).toString('base64url') };
	return { status: 'success', passkey: { challenge_id: call.newId('chl'), options } };
}

function credentialIn({ payload }: PasskeyInput): string | undefined {
	const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return /"id":\s*"([^"]+)"/.exec(text)?.[1];
}

export const passkeys: Area<object> = {
	seed: () => ({}),

	endpoints: {
		'POST /idp/{externalUserId}/passkey/options.json': (call) => {
			userOf(call);
			return challenge(call);
		},

		'POST /idp/{externalUserId}/passkey/confirm.json': (call) => {
			const { passkey: input } = call.body as { passkey: PasskeyInput & { device?: unknown } };
			const { external_id, passkeys: own } = userOf(call);
			const id = credentialIn(input);
			if (!id) throw refuse('invalidRequest', 'The passkey could not be registered');
			own.push({ id, device: input.device });
			return { status: 'success', passkey: { id, external_id, registered: true } };
		},

		'POST /idp/passkey/challenge.json': (call) => {
			const { passkey: input } = call.body as { passkey: { id: string } };
			userOf(call, input.id);
			return challenge(call);
		},

		'POST /idp/passkey/verify.json': (call) => {
			const { passkey: input } = call.body as { passkey: PasskeyInput & { id: string } };
			const user = findUser(call, input.id);
			const id = credentialIn(input);
			if (user?.is_locked || !user?.passkeys.some((passkey) => passkey.id === id)) {
				throw failure(user);
			}
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
