// Platform Trigger: starts a workflow when the service reports an event, such as a paid charge.
import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { methods } from '../shared/pickers';
import { deliver } from './delivery';
import { isRegistered, OTHER_EVENTS, register, unregister } from './registration';

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
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
		],
		properties: [
			{
				displayName:
					"The API sends events to a public HTTPS URL. If your n8n doesn't have one, use the Platform Polling Trigger.",
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
				options: [
					{
						name: 'Charge Failed',
						value: 'RecurringPayments.charge.failed',
						action: 'On charge failed',
						description: 'RecurringPayments.charge.failed',
					},
					{
						name: 'Charge Paid',
						value: 'RecurringPayments.charge.paid',
						action: 'On charge paid',
						description: 'RecurringPayments.charge.paid',
					},
					{
						name: 'Other Events',
						value: OTHER_EVENTS,
						action: 'On another event',
						description: 'Any other event that your company can receive',
					},
				],
				default: ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'],
				description: 'The events to listen to. The trigger registers one webhook for each.',
			},
			{
				displayName: 'Other Event Names or IDs',
				name: 'otherEvents',
				type: 'multiOptions',
				required: true,
				typeOptions: { loadOptionsMethod: 'webhookEventTypes' },
				default: [],
				displayOptions: { show: { events: [OTHER_EVENTS] } },
				description:
					'The other events to listen to. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
			},
			{
				displayName: 'Check Token',
				name: 'tokenCheck',
				type: 'options',
				options: [
					{
						name: 'HMAC-SHA256 of the Body',
						value: 'hmac',
						description: 'A header contains the signature of the raw body, created with the token',
					},
					{
						name: 'Header Equals Token',
						value: 'header',
						description: 'A header contains the token',
					},
					{
						name: 'None',
						value: 'none',
						description: 'Only check the random secret in the registered URL',
					},
				],
				default: 'none',
				description:
					"How to check the webhook's token. The API reference doesn't show how it's sent, so choose what your service does. The secret in the URL is always checked.",
			},
			{
				displayName: 'Header Name',
				name: 'headerName',
				type: 'string',
				required: true,
				default: '',
				placeholder: 'e.g. X-Signature',
				displayOptions: { show: { tokenCheck: ['header', 'hmac'] } },
				description: 'Name of the header with the token or signature',
			},
			{
				displayName: 'Signature Encoding',
				name: 'signatureEncoding',
				type: 'options',
				options: [
					{ name: 'Base64', value: 'base64' },
					{ name: 'Hex', value: 'hex' },
				],
				default: 'hex',
				displayOptions: { show: { tokenCheck: ['hmac'] } },
			},
			{
				displayName: 'Options',
				name: 'settings',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [
					{
						displayName: 'Include Raw Body and Headers',
						name: 'includeRaw',
						type: 'boolean',
						default: false,
						description:
							'Whether to add the unchanged body as text, and the headers, such as for checking a signature',
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

	methods = { credentialTest: methods.credentialTest, loadOptions: methods.loadOptions };

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
