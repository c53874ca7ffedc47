// Platform Workflows: runs Platform workflows and reads their traces.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { trace } from './trace';
import { workflow } from './workflow';

export const resources = [workflow, trace];

export class PlatformWorkflows implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformWorkflows',
			resources,
			'Workflows of the Platform, not of n8n. workflow run starts one; its success: false is a result, not an error.',
			['platformScheduler'],
		),
		icon: { light: 'file:../../icons/workflows.svg', dark: 'file:../../icons/workflows.dark.svg' },
		subtitle: subtitleOf(resources),
		description: 'Run Platform workflows and get their traces',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
