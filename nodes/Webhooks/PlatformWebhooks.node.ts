// Platform Webhooks: manages webhooks, lists event types, and filters repeated deliveries.
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { keepNew } from '../engine/node/keepNew';
import { subtitleOf } from '../engine/node/nodeHead';
import { delivery, withDeliveries } from './deliveries';
import { eventType } from './eventType';
import { webhook } from './webhook';

export const resources = [webhook, eventType];

const common = actionNode('platformWebhooks', resources, 'For receivers outside n8n.');

const executeWebhooks = executeOf(resources);

export class PlatformWebhooks implements INodeType {
	description: INodeTypeDescription = {
		...common,
		icon: { light: 'file:../../icons/webhooks.svg', dark: 'file:../../icons/webhooks.dark.svg' },
		subtitle: subtitleOf([...resources, delivery]),
		description: 'Manage webhooks and list the available events',
		usableAsTool: true,
		properties: withDeliveries(common.properties),
	};

	methods = methods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// Delivery has no endpoint of the API, so it isn't among the resources.
		if (this.getNodeParameter('resource', 0) === delivery.value) return await keepNew(this);
		return await executeWebhooks.call(this);
	}
}
