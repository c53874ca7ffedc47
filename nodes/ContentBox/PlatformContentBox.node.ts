// Platform Content Box: content entries and content types.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { content } from './content';
import { contentType } from './contentType';
import { resourceMapping } from './fieldMapping';

export const resources = [content, contentType];

export class PlatformContentBox implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformContentBox',
			resources,
			'The fields of an entry follow from its content type: get the type first.',
		),
		icon: {
			light: 'file:../../icons/contentBox.svg',
			dark: 'file:../../icons/contentBox.dark.svg',
		},
		subtitle: subtitleOf(resources),
		description: 'Manage content entries and content types',
		usableAsTool: true,
	};

	methods = { ...methods, resourceMapping };

	execute = executeOf(resources);
}
