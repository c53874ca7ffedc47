/** Content types and entries for a new sandbox. */
import type { Seeding } from '../area.cts';
import type { Content, ContentType } from '../areas/contentBox.cts';
import { dateAfter, person } from './people.cts';

const field = (label: string, type = 'string') => ({ label, type });

const types: ContentType[] = [
	{
		id: 'typ-article',
		title: 'Article',
		description: 'Posts of the company blog',
		fields: {
			teaser: field('Teaser'),
			body: field('Body', 'text'),
			author: field('Author'),
			published_on: field('Published on', 'date'),
			source: field('Source', 'url'),
			featured: field('Featured', 'checkbox'),
		},
	},
	{
		id: 'typ-faq',
		title: 'Question',
		description: 'Questions and answers of the help centre',
		fields: {
			answer: field('Answer', 'text'),
			topic: field('Topic'),
			pinned: field('Pinned', 'checkbox'),
		},
	},
	{
		id: 'typ-event',
		title: 'Event',
		description: 'Fairs, webinars and open days',
		fields: {
			city: field('City'),
			starts_on: field('Starts on', 'date'),
			seats: field('Seats', 'number'),
			registration: field('Registration page', 'url'),
		},
	},
];

/** How many entries each type gets. */
const counts: Record<string, number> = {
	'typ-article': 260,
	'typ-faq': 60,
	'typ-event': 40,
};

const subjects = ['Billing', 'Invoices', 'Payments', 'Renewals', 'Reporting', 'Security', 'Taxes'];
const angles = [
	'in practice',
	'for small teams',
	'step by step',
	'at year end',
	'without surprises',
];

export const seedTypes = (): ContentType[] => structuredClone(types);

/** A value that suits a field of this type. */
function valueOf({ random, today }: Seeding, key: string, type: string, number: number): unknown {
	const who = person(random, number);
	if (type === 'checkbox') return random.chance(0.3);
	if (type === 'url') return `https://www.sandbox.example/${key}/${number}`;
	if (type === 'date') return dateAfter(today, random.int(-300, 60));
	if (type === 'number') return random.int(10, 200);
	if (key === 'city') return who.address.city;
	if (key === 'author') return `${who.first_name} ${who.last_name}`;
	return `${random.pick(subjects)} ${random.pick(angles)}`;
}

export function seedContents(seeding: Seeding): Content[] {
	const { random } = seeding;
	const contents: Content[] = [];
	for (const { id: type_id, title, fields } of types) {
		for (let number = 1; number <= counts[type_id]; number += 1) {
			const data = Object.entries(fields).map(([key, { type }]) => [
				key,
				valueOf(seeding, key, type, number),
			]);
			contents.push({
				id: `cnt-${contents.length + 1}`,
				type_id,
				title: `${title} ${number}: ${random.pick(subjects)} ${random.pick(angles)}`,
				state: random.pick(['public', 'public', 'public', 'draft', 'archived']),
				data: Object.fromEntries(data),
			});
		}
	}
	return contents;
}
