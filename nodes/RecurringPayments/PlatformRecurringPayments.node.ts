// Platform Recurring Payments: subscriptions of all customers, and settings.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { settings } from './settings';
import { subscription } from './subscription';

export const resources = [subscription, settings];

export class PlatformRecurringPayments implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformRecurringPayments',
			resources,
			'Subscriptions of all customers. For those of one customer, and for charges, use platformCustomers.',
		),
		icon: {
			light: 'file:../../icons/recurringPayments.svg',
			dark: 'file:../../icons/recurringPayments.dark.svg',
		},
		subtitle: subtitleOf(resources),
		description: 'Get recurring subscriptions and the settings of recurring payments',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
