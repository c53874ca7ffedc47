// Platform Scheduler: appointments and automated actions.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { event } from './event';

export const resources = [event];

export class PlatformScheduler implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformScheduler',
			resources,
			'Events in the calendar of the Platform. To start an n8n workflow at a time use the Schedule Trigger.',
			['platformWorkflows'],
		),
		icon: { light: 'file:../../icons/scheduler.svg', dark: 'file:../../icons/scheduler.dark.svg' },
		subtitle: subtitleOf(resources),
		description: 'Manage scheduled events: appointments and automated actions',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
