// Platform Partners: partners, their commission fees and their payouts.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/nodeHead';
import { executeOf } from '../shared/execute';
import { methods } from '../shared/pickers';
import { fee } from './fee';
import { partner } from './partner';
import { payout } from './payout';

export const resources = [partner, fee, payout];

export class PlatformPartners implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformPartners',
			resources,
			'Let the user confirm payout create and updateStatus.',
			['platformRecurringPayments'],
		),
		icon: { light: 'file:../../icons/partners.svg', dark: 'file:../../icons/partners.dark.svg' },
		subtitle: subtitleOf(resources),
		description: 'Manage partners, their commission fees and payouts',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
