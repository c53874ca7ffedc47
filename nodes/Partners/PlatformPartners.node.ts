// Platform Partners: partners, their commission fees and their payouts.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { fee } from './fee';
import { partner } from './partner';
import { payout } from './payout';

export const resources = [partner, fee, payout];

export class PlatformPartners implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Partners',
		name: 'platformPartners',
		icon: { light: 'file:../../icons/partners.svg', dark: 'file:../../icons/partners.dark.svg' },
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage partners, their commission fees and payouts',
		defaults: { name: 'Platform Partners' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformPartners',
			resources,
			`payout create and updateStatus move money. ${LISTS}`,
			['platformRecurringPayments'],
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
