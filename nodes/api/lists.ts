// How the API takes pages of a list, and what its envelope says (core, Common list envelope and Limits).
import { isRecord, numberOf } from '../engine/base/data';
import type { ListRules } from '../engine/base/definition';

function wholeNumber(value: unknown): number | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

export const lists: ListRules = {
	items: 'elements',
	maxSize: 100,
	// Default and max.
	usualSizes: [50, 100],
	query: (page, size) => ({ ...(size !== undefined && { size }), page }),
	// All parts of the envelope are optional.
	announced: ({ count, per_page: perPage, pages }) => ({
		count: wholeNumber(count),
		perPage: wholeNumber(perPage),
		last: isRecord(pages) ? wholeNumber(pages.max) : undefined,
	}),
	total: 'count',
	envelope: ['entities', 'type', 'per_page', 'pages', 'range', 'knowledge_base'],
};
