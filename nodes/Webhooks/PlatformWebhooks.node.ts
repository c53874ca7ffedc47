// Platform Webhooks: registrations for events of the company, and the events on offer.
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { describe, subtitleOf } from '../shared/description';
import { executeOperations } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { keepNew } from '../shared/keepNew';
import { methods } from '../shared/pickers';
import { DELIVERY, withDeliveries } from './deliveries';
import { eventType } from './eventType';
import { webhook } from './webhook';

export const resources = [webhook, eventType];

export class PlatformWebhooks implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform Webhooks',
		name: 'platformWebhooks',
		icon: { light: 'file:../../icons/webhooks.svg', dark: 'file:../../icons/webhooks.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage webhooks and list the available events',
		defaults: { name: 'Platform Webhooks' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		builderHint: actionHint(
			'platformWebhooks',
			resources,
			`For receivers outside n8n. To start a workflow use platformTrigger, which registers its webhooks itself. ${LISTS}`,
			[],
		),
		properties: withDeliveries(describe(resources)),
	};

	methods = methods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		if (this.getNodeParameter('resource', 0) === DELIVERY) return await keepNew(this);
		return await executeOperations.call(this, resources);
	}
}
