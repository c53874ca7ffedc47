// Platform Newsletters: newsletters, their recipients and the suppression list.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { newsletter } from './newsletter';
import { recipient } from './recipient';
import { suppression } from './suppression';

export const resources = [newsletter, recipient, suppression];

export class PlatformNewsletters implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformNewsletters',
			resources,
			'Order: newsletter create, recipient set, sendTest, queue.',
		),
		icon: {
			light: 'file:../../icons/newsletters.svg',
			dark: 'file:../../icons/newsletters.dark.svg',
		},
		subtitle: subtitleOf(resources),
		description: 'Manage newsletters, recipients and the suppression list',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
