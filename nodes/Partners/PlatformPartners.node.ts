// Platform Partners: partners, their commission fees and their payouts.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { columnMethods } from '../engine/editor/mapperColumns';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
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
