// How the API takes pages of a list, and what its envelope says (core, Common list envelope and Limits).
import { isRecord, numberOf } from '../engine/base/data';
import type { ListRules } from '../engine/base/definition';

/** A number of rows or pages may come as text. */
function wholeNumber(value: unknown): number | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isInteger(number) && number >= 0 ? number : undefined;
}

export const lists: ListRules = {
	items: 'elements',
	// core, Limits: "page size … maximum 100".
	maxSize: 100,
	// core, Limits: "default 50, maximum 100".
	usualSizes: [50, 100],
	pages: {
		// core, Limits: "pages | numbered from 1".
		query: (page, size) => ({ ...(size !== undefined && { size }), page }),
		// core, Common list envelope: "Some lists omit `pages` … and carry only a subset".
		announcedIn: ({ count, per_page: perPage, pages }) => ({
			count: wholeNumber(count),
			perPage: wholeNumber(perPage),
			last: isRecord(pages) ? wholeNumber(pages.max) : undefined,
		}),
	},
	total: 'count',
	// These keys are of the common envelope, the scheduler's list and the search of a knowledge base.
	envelope: ['entities', 'type', 'per_page', 'pages', 'range', 'knowledge_base'],
};
