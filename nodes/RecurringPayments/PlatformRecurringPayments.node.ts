// Platform Recurring Payments: their settings and subscriptions.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { settings } from './settings';
import { subscription } from './subscription';

export const resources = [subscription, settings];

export class PlatformRecurringPayments implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Recurring Payments',
		name: 'platformRecurringPayments',
		icon: {
			light: 'file:../../icons/recurringPayments.svg',
			dark: 'file:../../icons/recurringPayments.dark.svg',
		},
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Get recurring subscriptions and the settings of recurring payments',
		defaults: { name: 'Platform Recurring Payments' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformRecurringPayments',
			resources,
			`Subscriptions of all customers. For those of one customer, and for charges, use platformCustomers. ${LISTS}`,
			[],
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
