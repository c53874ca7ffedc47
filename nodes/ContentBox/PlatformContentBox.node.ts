// Platform Content Box: content entries and the content types that describe them.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, LISTS } from '../shared/hints';
import { methods } from '../shared/pickers';
import { content } from './content';
import { contentType } from './contentType';
import { resourceMapping } from './fieldMapping';

export const resources = [content, contentType];

export class PlatformContentBox implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Content Box',
		name: 'platformContentBox',
		icon: {
			light: 'file:../../icons/contentBox.svg',
			dark: 'file:../../icons/contentBox.dark.svg',
		},
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Manage content entries and content types',
		defaults: { name: 'Platform Content Box' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformContentBox',
			resources,
			`The fields of an entry follow from its content type: get the type first. ${LISTS}`,
			[],
		),
	};

	methods = { ...methods, resourceMapping };

	execute = executeOf(resources);
}
