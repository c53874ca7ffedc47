// Passkeys of a user (reference: core, Endpoints, Identity and risk).
import {
	FieldFault,
	isRecord,
	recordOf,
	type ApiRequest,
	type Field,
	type Resource,
} from '../shared/operation';
import { externalUserId } from './fields';

const challengeId: Field = {
	displayName: 'Challenge ID',
	name: 'challengeId',
	type: 'string',
	required: true,
	default: '',
	send: { as: 'challenge_id' },
};

/** Goes out as the expression gives it: the service takes the object and its JSON text alike. */
const payload: Field = {
	displayName: 'Payload',
	name: 'payload',
	type: 'string',
	typeOptions: { rows: 4 },
	required: true,
	default: '',
	placeholder: 'e.g. {{ $json.body.credential }}',
	send: { type: 'any' },
	description: 'The credential that the browser returned, as an object or as text',
};

function checkPayload({ body }: ApiRequest): void {
	const { payload: given } = recordOf(body?.passkey);
	if (typeof given !== 'string' && !isRecord(given)) {
		throw new FieldFault('Payload', 'must be the credential as an object or as text');
	}
}

export const passkey: Resource = {
	name: 'Passkey',
	value: 'passkey',
	operations: [
		{
			name: 'Confirm Registration',
			value: 'confirmRegistration',
			action: 'Confirm the registration of a passkey',
			description: 'Register the passkey that the browser has created and return its ID',
			route: 'POST /idp/{externalUserId}/passkey/confirm.json',
			root: 'passkey',
			check: checkPayload,
			fields: [
				externalUserId,
				{ ...challengeId, description: 'The challenge_id that Start Registration returned' },
				payload,
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Device',
							name: 'device',
							type: 'string',
							default: '',
							send: { type: 'any' },
							description: 'The device of the passkey; what an expression gives is sent as it is',
						},
					],
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete a passkey',
			description: 'Delete a passkey of a user',
			notice: 'Deleting a passkey cannot be undone: the user has to register it again.',
			route: 'DELETE /idp/{externalUserId}/passkey/{credentialId}.json',
			fields: [
				externalUserId,
				{
					displayName: 'Passkey ID',
					name: 'credentialId',
					type: 'string',
					required: true,
					default: '',
					description: 'ID of the credential to delete',
				},
			],
		},
		{
			name: 'Start Registration',
			value: 'startRegistration',
			action: 'Start the registration of a passkey',
			description: 'Return a challenge ID and the options with which the browser creates a passkey',
			route: 'POST /idp/{externalUserId}/passkey/options.json',
			root: 'passkey',
			fields: [
				externalUserId,
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						{
							displayName: 'Account Name',
							name: 'accountName',
							type: 'string',
							default: '',
							send: { as: 'account_name' },
							description: 'Name of the account that the passkey is for',
						},
						{
							displayName: 'Display Name',
							name: 'displayName',
							type: 'string',
							default: '',
							send: { as: 'display_name' },
							description: 'Name of the user for people',
						},
					],
				},
			],
		},
		{
			name: 'Start Verification',
			value: 'startVerification',
			action: 'Start the verification of a passkey',
			description:
				'Return a challenge ID and the options with which the browser asks for a passkey',
			route: 'POST /idp/passkey/challenge.json',
			root: 'passkey',
			fields: [{ ...externalUserId, send: { as: 'id' } }],
		},
		{
			name: 'Verify',
			value: 'verify',
			action: 'Verify a passkey',
			description: 'Check the answer of the browser to a challenge; a wrong one is an error',
			route: 'POST /idp/passkey/verify.json',
			root: 'passkey',
			check: checkPayload,
			fields: [
				{ ...externalUserId, send: { as: 'id' } },
				{ ...challengeId, description: 'The challenge_id that Start Verification returned' },
				payload,
			],
		},
	],
};
