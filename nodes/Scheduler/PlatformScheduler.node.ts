// Platform Scheduler: appointments and automated actions.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { event } from './event';

export const resources = [event];

export class PlatformScheduler implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Scheduler',
		name: 'platformScheduler',
		icon: { light: 'file:../../icons/scheduler.svg', dark: 'file:../../icons/scheduler.dark.svg' },
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage scheduled events: appointments and automated actions',
		defaults: { name: 'Platform Scheduler' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformScheduler',
			resources,
			`Events in the calendar of the Platform. To start an n8n workflow at a time use the Schedule Trigger. ${LISTS}`,
			['platformWorkflows'],
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
