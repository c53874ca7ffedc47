// Passkeys of a user (reference: core, Endpoints, Identity and risk).
import { operation, remove } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord, recordOf } from '../engine/base/data';
import { additionalFields, text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { lifted } from '../engine/form/simplify';
import { externalUserId } from './user';

const challengeId = text({
	name: 'challengeId',
	placeholder: 'e.g. {{ $json.challenge_id }}',
	required: true,
	send: { as: 'challenge_id' },
});

/** Sent unchanged: the API accepts an object or its JSON text. */
const payload = text({
	name: 'payload',
	typeOptions: { rows: 4 },
	required: true,
	placeholder: 'e.g. {{ $json.body.credential }}',
	send: { type: 'any' },
	description: 'The credential from the browser, as an object or text',
});

/** Refuses what can't be a credential, such as a number: `any` takes all that JSON can represent. */
function checkPayload({ body }: ApiRequest): void {
	const { payload: given } = recordOf(body?.passkey);
	if (typeof given !== 'string' && !isRecord(given)) {
		throw new FieldFault('Payload', 'must be the credential as an object or text');
	}
}

export const passkey = resource('passkey', {
	description: 'Passkeys of a user',
	usual: 'startVerification',
	ids: [externalUserId],
	operations: [
		operation('confirmRegistration', {
			action: 'Confirm the registration of a passkey',
			description: 'Register the passkey created by the browser and return its ID',
			route: 'POST /idp/{externalUserId}/passkey/confirm.json',
			simplify: lifted('passkey'),
			root: 'passkey',
			proves: true,
			check: checkPayload,
			fields: [
				{ ...challengeId, description: 'From Start Registration' },
				payload,
				additionalFields([
					text({
						name: 'device',
						placeholder: 'e.g. Laptop',
						send: { type: 'any' },
					}),
				]),
			],
		}),
		remove({
			action: 'Delete a passkey',
			description: 'Delete a passkey of a user. Returns status, ID and message.',
			route: 'DELETE /idp/{externalUserId}/passkey/{credentialId}.json',
			fields: [
				text({
					displayName: 'Credential ID',
					name: 'credentialId',
					required: true,
					description:
						"The API reference doesn't say if it's the ID that Confirm Registration returns",
				}),
			],
		}),
		operation('startRegistration', {
			action: 'Start the registration of a passkey',
			description: 'Return the challenge ID and options for the browser to create a passkey',
			route: 'POST /idp/{externalUserId}/passkey/options.json',
			simplify: lifted('passkey'),
			root: 'passkey',
			proves: true,
			fields: [
				additionalFields([
					text({
						name: 'accountName',
						placeholder: 'e.g. ada@example.com',
						send: { as: 'account_name' },
					}),
					text({
						name: 'displayName',
						placeholder: 'e.g. Ada Lovelace',
						send: { as: 'display_name' },
					}),
				]),
			],
		}),
		operation('startVerification', {
			action: 'Start the verification of a passkey',
			description: 'Return the challenge ID and options for the browser to ask for a passkey',
			route: 'POST /idp/passkey/challenge.json',
			simplify: lifted('passkey'),
			root: 'passkey',
			proves: true,
			fields: [{ ...externalUserId, send: { as: 'id', trim: true } }],
		}),
		operation('verify', {
			action: 'Verify a passkey',
			description: 'Verify the passkey response from the browser. Returns status, ID and message.',
			route: 'POST /idp/passkey/verify.json',
			root: 'passkey',
			proves: true,
			check: checkPayload,
			fields: [
				{ ...externalUserId, send: { as: 'id', trim: true } },
				{ ...challengeId, description: 'From Start Verification' },
				payload,
			],
		}),
	],
});
