// One-time passwords of an authenticator app (reference: core, Endpoints, Identity and risk).
import { operation } from '../api';
import { text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { externalUserId } from './user';

export const oneTimePassword = resource('oneTimePassword', {
	name: 'One-Time Password',
	description: 'Authenticator app',
	usual: 'verify',
	operations: [
		operation('setUp', {
			action: 'Set up one-time passwords of a user',
			description:
				"Return a new secret and its QR code for an app. Don't let the workflow save its execution data.",
			tool: 'Set up an authenticator app. Returns the new secret and the QR code content.',
			route: 'POST /idp/{externalUserId}/otp.json',
			root: 'otp',
			proves: true,
			fields: [
				externalUserId,
				text({
					name: 'issuerName',
					required: true,
					placeholder: 'e.g. Example Shop',
					send: { as: 'issuer_name' },
					description: 'Name of your service',
				}),
				text({
					name: 'accountName',
					required: true,
					placeholder: 'e.g. ada@example.com',
					send: { as: 'account_name' },
					description: 'As the app shows it',
				}),
			],
		}),
		operation('verify', {
			action: 'Verify a one-time password or backup code',
			description:
				'Check a code from the app, or a backup code, and return the status. Fails if it is wrong or expired.',
			route: 'POST /idp/otp/verify.json',
			root: 'otp',
			proves: true,
			fields: [
				{ ...externalUserId, send: { as: 'id', trim: true } },
				text({
					name: 'code',
					placeholder: 'e.g. 012345',
					typeOptions: { password: true },
					required: true,
					send: { format: 'oneTimeCode' },
					description: 'From the app, or a backup code. As text, since numbers lose leading zeros.',
				}),
			],
		}),
	],
});
