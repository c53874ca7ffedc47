// Platform Recurring Payments: their settings and subscriptions.
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
import { methods } from '../shared/pickers';
import { settings } from './settings';
import { subscription } from './subscription';

export const resources = [subscription, settings];

export class PlatformRecurringPayments implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform Recurring Payments',
		name: 'platformRecurringPayments',
		icon: {
			light: 'file:../../icons/recurringPayments.svg',
			dark: 'file:../../icons/recurringPayments.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Get recurring subscriptions and the settings of recurring payments',
		defaults: { name: 'Platform Recurring Payments' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		builderHint: actionHint(
			'platformRecurringPayments',
			resources,
			`Subscriptions of all customers. For those of one customer, and for charges, use platformCustomers. ${LISTS}`,
			[],
		),
		properties: describe(resources),
	};

	methods = methods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperations.call(this, resources);
	}
}
