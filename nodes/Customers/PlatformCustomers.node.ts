// Platform Customers: customers, their properties, subscriptions, usage and charges.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { charge } from './charge';
import { customer } from './customer';
import { property } from './property';
import { subscription } from './subscription';
import { usage } from './usage';

export const resources = [customer, property, subscription, usage, charge];

export class PlatformCustomers implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Customers',
		name: 'platformCustomers',
		icon: { light: 'file:../../icons/customers.svg', dark: 'file:../../icons/customers.dark.svg' },
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage customers, properties, subscriptions, usage and charges',
		defaults: { name: 'Platform Customers' },
		usableAsTool: true,
		builderHint: actionHint('platformCustomers', resources, LISTS, [
			'platformRecurringPayments',
			'platformNewsletters',
		]),
	};

	methods = methods;

	execute = executeOf(resources);
}
