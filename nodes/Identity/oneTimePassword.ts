// One-time passwords of an authenticator app (reference: core, Endpoints, Identity and risk).
import type { Resource } from '../shared/operation';
import { externalUserId } from './fields';

export const oneTimePassword: Resource = {
	name: 'One-Time Password',
	value: 'oneTimePassword',
	operations: [
		{
			name: 'Set Up',
			value: 'setUp',
			action: 'Set up one-time passwords of a user',
			description:
				'Start the set-up of an authenticator app and return the new secret with the content of its QR code',
			notice:
				'The output holds the secret of the user, also inside the QR code: pass it on to the user only, and do not save the execution data of this workflow.',
			route: 'POST /idp/{externalUserId}/otp.json',
			root: 'otp',
			fields: [
				externalUserId,
				{
					displayName: 'Issuer Name',
					name: 'issuerName',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. Example Shop',
					send: { as: 'issuer_name' },
					description: 'Name of your service, as the authenticator app shows it',
				},
				{
					displayName: 'Account Name',
					name: 'accountName',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. ada@example.com',
					send: { as: 'account_name' },
					description: 'Name of the account of the user, as the authenticator app shows it',
				},
			],
		},
		{
			name: 'Verify',
			value: 'verify',
			action: 'Verify a one-time password or backup code',
			description:
				'Check a code of the authenticator app or a backup code; a wrong or expired code is an error',
			route: 'POST /idp/otp/verify.json',
			root: 'otp',
			// A code is good once, and a wrong one counts as a failed attempt.
			fields: [
				{ ...externalUserId, send: { as: 'id' } },
				{
					displayName: 'Code',
					name: 'code',
					type: 'string',
					typeOptions: { password: true },
					required: true,
					default: '',
					send: { format: 'oneTimeCode' },
					description:
						'The code of 6 digits that the authenticator app shows, or a numeric backup code. Give it as text: a number loses its leading zeros.',
				},
			],
		},
	],
};
