// Platform Trigger: starts a workflow when the service reports an event, such as a paid charge.
import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { builderHint } from '../shared/hints';
import { methods } from '../shared/pickers';
import { deliver } from './delivery';
import { events, OTHER_EVENTS, otherEventTypes } from './chargeEvents';
import { isRegistered, register, unregister } from './registration';

export class PlatformTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform Trigger',
		name: 'platformTrigger',
		icon: { light: 'file:../../icons/trigger.svg', dark: 'file:../../icons/trigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{[$parameter["events"], $parameter["otherEvents"]].flat().filter((event) => event && event !== "other").map((event) => event.split(".").slice(-2).join(" ")).join(", ")}}',
		description: 'Starts the workflow when a charge is paid or fails, or on another API event',
		defaults: { name: 'Platform Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: 'webhook',
				// The node registers it, with a secret that the URL shown here wouldn't have.
				ndvHideUrl: true,
			},
		],
		builderHint: builderHint(
			'platformTrigger',
			'Set events, such as RecurringPayments.charge.paid. Registers its webhooks itself when the workflow is published: no Platform Webhooks. n8n needs a public HTTPS URL. Without one, use platformPollingTrigger.',
			['platformRecurringPayments'],
			'body is the delivery as received: look at a real one before you use its fields',
		),
		properties: [
			{
				displayName:
					"Publishing registers webhooks at the API, so there's no URL to copy. The API needs a public HTTPS URL of n8n. Without one, use the Platform Polling Trigger.",
				name: 'notice',
				type: 'notice',
				default: '',
			},
			{
				// n8n's panel offers the options of a field of this name as entries.
				displayName: 'Events',
				name: 'events',
				type: 'multiOptions',
				required: true,
				options: events,
				default: ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'],
				description: 'The events to listen to. The trigger registers one webhook for each.',
			},
			{
				displayName: 'Other Event Names or IDs',
				name: 'otherEvents',
				type: 'multiOptions',
				required: true,
				typeOptions: { loadOptionsMethod: 'otherEventTypes' },
				default: [],
				displayOptions: { show: { events: [OTHER_EVENTS] } },
				description:
					'The other events to listen to. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
			},
			{
				displayName: 'Options',
				name: 'settings',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [
					{
						displayName: 'Check Token',
						name: 'tokenCheck',
						type: 'options',
						options: [
							{
								name: 'HMAC-SHA256 of the Body',
								value: 'hmac',
								description:
									'The header has the signature of the raw body, created with the token, in hex or Base64',
							},
							{
								name: 'Header Equals Token',
								value: 'header',
								description: 'The header has the token',
							},
							{
								name: 'URL Secret Only',
								value: 'none',
								description: 'The registered URL has a random secret, which is always checked',
							},
						],
						default: 'none',
						description:
							"What to check besides the secret in the URL. Choose how your service sends the webhook's token.",
					},
					{
						displayName: 'Include Raw Body and Headers',
						name: 'includeRaw',
						type: 'boolean',
						default: false,
						description:
							'Whether to add the unchanged body as text, and the headers, such as for checking a signature',
					},
					{
						displayName: 'Remove Webhooks at Earlier URLs',
						name: 'removeEarlier',
						type: 'boolean',
						default: false,
						description:
							"Whether publishing and unpublishing also remove the webhooks registered while n8n had another URL. Turn it on if n8n has moved. Don't turn it on in a copy of n8n: the original would lose its webhooks.",
					},
					{
						displayName: 'Token Header',
						name: 'headerName',
						type: 'string',
						default: '',
						placeholder: 'e.g. X-Signature',
						description: 'Name of the header with the token or signature, for Check Token',
					},
					{
						displayName: 'Webhook Description',
						name: 'description',
						type: 'string',
						default: '',
						description:
							'Description of the registered webhooks. If empty, it names your n8n and the workflow.',
					},
					{
						displayName: 'Webhook Name',
						name: 'name',
						type: 'string',
						default: '',
						description:
							"Name of the registered webhooks. If empty, it's the name of the workflow.",
					},
				],
			},
			{
				// With this set n8n does not parse the body, so that broken JSON and unknown types arrive
				// too and the signature is checked over the bytes as they came.
				displayName: 'Unparsed Body',
				name: 'options',
				type: 'hidden',
				default: { binaryData: true },
			},
		],
	};

	methods = { credentialTest: methods.credentialTest, loadOptions: { otherEventTypes } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await isRegistered(this);
			},

			async create(this: IHookFunctions): Promise<boolean> {
				await register(this);
				return true;
			},

			async delete(this: IHookFunctions): Promise<boolean> {
				await unregister(this);
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await deliver(this);
	}
}
