// Platform Newsletters: newsletters, their recipients and the suppression list.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { newsletter } from './newsletter';
import { recipient } from './recipient';
import { suppression } from './suppression';

export const resources = [newsletter, recipient, suppression];

export class PlatformNewsletters implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Newsletters',
		name: 'platformNewsletters',
		icon: {
			light: 'file:../../icons/newsletters.svg',
			dark: 'file:../../icons/newsletters.dark.svg',
		},
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage newsletters, recipients and the suppression list',
		defaults: { name: 'Platform Newsletters' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformNewsletters',
			resources,
			`Order: newsletter create, recipient set, sendTest, queue. ${LISTS}`,
			[],
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
