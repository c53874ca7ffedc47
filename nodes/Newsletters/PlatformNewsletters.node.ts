// Platform Newsletters: newsletters, their recipients and the suppression list.
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
import { newsletter } from './newsletter';
import { recipient } from './recipient';
import { suppression } from './suppression';

export const resources = [newsletter, recipient, suppression];

export class PlatformNewsletters implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Platform Newsletters',
		name: 'platformNewsletters',
		icon: {
			light: 'file:../../icons/newsletters.svg',
			dark: 'file:../../icons/newsletters.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage newsletters, recipients and the suppression list',
		defaults: { name: 'Platform Newsletters' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		builderHint: actionHint(
			'platformNewsletters',
			resources,
			`Order: newsletter create, recipient set, sendTest, queue. queue sends to all recipients: only if the user asks for it. ${LISTS}`,
			[],
		),
		properties: describe(resources),
	};

	methods = methods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await executeOperations.call(this, resources);
	}
}
