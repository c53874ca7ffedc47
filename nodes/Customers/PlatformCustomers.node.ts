// Platform Customers: customers, their properties, subscriptions, usage and charges.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { columnMethods } from '../engine/editor/mapperColumns';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { charge } from './charge';
import { customer } from './customer';
import { property } from './property';
import { subscription } from './subscription';
import { usage } from './usage';

export const resources = [customer, property, subscription, usage, charge];

export class PlatformCustomers implements INodeType {
	description: INodeTypeDescription = {
		...actionNode('platformCustomers', resources, '', [
			'platformRecurringPayments',
			'platformNewsletters',
		]),
		icon: { light: 'file:../../icons/customers.svg', dark: 'file:../../icons/customers.dark.svg' },
		subtitle: subtitleOf(resources),
		description: 'Manage customers, properties, subscriptions, usage and charges',
		usableAsTool: true,
	};

	methods = { ...methods, resourceMapping: columnMethods(resources) };

	execute = executeOf(resources);
}
