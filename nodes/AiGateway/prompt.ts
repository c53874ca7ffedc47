// Prompts (reference: AI Gateway, Prompt).
import { create, getMany } from '../api';
import { text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { name } from './fields';
import { getOne } from './getOne';

export const prompt = resource('prompt', {
	description: 'Prompts by name',
	operations: [
		create({
			action: 'Create a prompt',
			description: 'Create a prompt, publish it as version 1 and return its ID',
			route: 'POST /ai-gateway/prompts.json',
			whole: { route: 'GET /ai-gateway/prompts.json' },
			fields: [
				{ ...name, required: true },
				text({
					name: 'content',
					typeOptions: { rows: 6 },
					required: true,
					send: { maxLength: 32_000 },
					description: 'Up to 32,000 characters',
				}),
			],
		}),
		getOne({
			field: 'promptId',
			list: 'aiPrompts',
			description: 'Return a published prompt with content and version',
			placeholder: 'e.g. Support tone',
		}),
		getMany({
			action: 'Get many prompts',
			description: 'Return published prompts with content and version',
			route: 'GET /ai-gateway/prompts.json',
			...filteredBy('prompts', { name: { displayName: 'Name Contains', contains: true } }),
		}),
	],
});
