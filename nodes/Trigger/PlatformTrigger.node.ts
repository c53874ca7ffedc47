// Platform Trigger: registers webhooks and starts a workflow on an event, such as a paid charge.
import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { methods, nodeHead } from '../api';
import { describeFields } from '../engine/node/description';
import { deliver } from './delivery';
import { fields, otherEventTypes } from './fields';
import { isRegistered, register, unregister } from './registration';

export class PlatformTrigger implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformCustomersTrigger',
			'Set events, such as RecurringPayments.charge.paid. Registers its webhooks itself when the workflow is published: no Platform Webhooks. n8n needs a public HTTPS URL. Without one, use platformPollingTrigger.',
			['platformRecurringPayments'],
			'body is the delivery as received: look at a real one before you use its fields',
		),
		displayName: 'Platform Trigger',
		defaults: { name: 'Platform Trigger' },
		icon: { light: 'file:../../icons/trigger.svg', dark: 'file:../../icons/trigger.dark.svg' },
		group: ['trigger'],
		subtitle:
			'={{[$parameter["events"], $parameter["otherEvents"]].flat().filter((event) => event && event !== "other").map((event) => event.split(".").slice(-2).join(" ")).join(", ")}}',
		description:
			'Customers, subscriptions and charges. Starts the workflow when a charge is paid or fails, or on another API event',
		eventTriggerDescription: 'Waiting for an event, such as a paid charge in your Platform',
		activationMessage: 'Your trigger will now start the workflow on the events you have chosen.',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				// An empty response. Otherwise n8n responds with a text that means nothing to the API.
				responseData: 'noData',
				path: 'webhook',
				// The URL shown here would lack the secret, and the node registers its URLs itself.
				ndvHideUrl: true,
			},
		],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields({ fields }),
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
