// Platform Partners: partners, their commission fees and their payouts.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../engine/node/nodeHead';
import { columnMethods } from '../engine/form/mappable';
import { executeOf } from '../engine/run/execute';
import { methods } from '../engine/editor/pickers';
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

	methods = { ...methods, resourceMapping: columnMethods(resources) };

	execute = executeOf(resources);
}
