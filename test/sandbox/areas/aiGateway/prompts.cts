/** Prompts, published as they are created. Reference, AI Gateway: 'Prompt'. */
import type { Area } from '../../area.cts';
import { Collection } from '../../collection.cts';
import { envelope } from '../../lists.cts';
import { refuse } from '../../refusals.cts';

interface Prompt {
	id: string;
	name: string;
	content: string;
	version: number;
	status: 'published';
}

export interface PromptsState {
	prompts: Collection<Prompt>;
}

const seeds: [string, string][] = [
	[
		'Help centre answer',
		'Answer the question from the passages alone. Name the article that you used. If the passages do not hold the answer, say so and offer to open a ticket.',
	],
	[
		'Ticket summary',
		'Summarise the conversation in three sentences: what the customer wants, what was tried, and what is open.',
	],
	[
		'Payment reminder',
		'Write a friendly reminder for an unpaid invoice. Name the amount, the due date and the payment link. Stay under 120 words.',
	],
];

export const aiPrompts: Area<PromptsState> = {
	seed: () => ({
		prompts: new Collection<Prompt>(
			seeds.map(([name, content], index) => ({
				id: `apr-${index + 1}`,
				name,
				content,
				version: 1,
				status: 'published',
			})),
		),
	}),

	endpoints: {
		'GET /ai-gateway/prompts.json': (call) => envelope(call, call.state.aiPrompts.prompts.rows),

		'POST /ai-gateway/prompts.json': {
			invalid: 'badPrompt',
			handle: (call) => {
				const input = call.body as Pick<Prompt, 'name' | 'content'>;
				if (!input.name.trim() || !input.content.trim()) throw refuse('badPrompt');
				const { id, name, version, status } = call.state.aiPrompts.prompts.add({
					...input,
					id: call.newId('apr'),
					version: 1,
					status: 'published',
				});
				return { id, name, version, status };
			},
		},
	},
};
