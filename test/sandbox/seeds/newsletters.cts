/** Campaigns and suppressed addresses for a new sandbox. */
import type { Seeding } from '../area.cts';
import type { Newsletter } from '../areas/newsletters.cts';
import type { Suppression } from '../areas/unsubscribes.cts';
import { queueOf } from '../mailing.cts';
import { dateAfter, person } from './people.cts';

const campaigns = 130;
const suppressed = 350;

const templates = ['monthly.html', 'product-update.html', 'offer.html', 'event.html'];
const topics = ['Product update', 'Monthly letter', 'Autumn offer', 'Invitation', 'Price change'];

const unixSeconds = (day: Date, daysAgo: number): number =>
	day.getTime() / 1000 - daysAgo * 86_400 + 8 * 3_600;

/** Newest first; every fortieth customer is suppressed, the others are former contacts. */
export function seedSuppressions({ random, state, today }: Seeding): Suppression[] {
	const customers = state.customers.customers.rows
		.filter((_, index) => index % 40 === 7)
		.flatMap(({ email }) => email ?? []);
	const others = Array.from(
		{ length: suppressed },
		(_, index) => person(random, 900_000 + index).email,
	);
	return [...customers, ...others].slice(0, suppressed).map((email, index) => ({
		id: email.toLowerCase(),
		reason: random.pick(['unsubscribe link', 'complaint', 'hard bounce', undefined]),
		unsubscribed_at: unixSeconds(today, index + 1),
	}));
}

/** Newest first: a quarter are drafts; the three newest queued ones are still being sent. */
export function seedNewsletters({ random, state, today }: Seeding): Newsletter[] {
	const customers = state.customers.customers.rows;
	const newsletters: Newsletter[] = [];
	let queuedSoFar = 0;
	for (let age = 0; age < campaigns; age += 1) {
		const topic = random.pick(topics);
		const month = dateAfter(today, -age * 7).slice(0, 7);
		const from = random.int(0, Math.max(0, customers.length - 40));
		const recipients = customers.slice(from, from + random.int(5, 40)).map(({ id }) => id);
		const status = age === 0 || random.chance(0.25) ? 'draft' : 'queued';
		const queue = status === 'queued' ? queueOf(state, recipients) : [];
		if (status === 'queued') queuedSoFar += 1;
		const done = queuedSoFar <= 3 ? queue.length / 2 : queue.length;
		for (const [index, entry] of queue.entries()) {
			if (entry.status === 'skipped') continue;
			if (index < done) entry.status = 'sent';
			else if (index < done + 3) entry.status = 'processing';
			if (index < done && random.chance(0.03)) {
				entry.status = 'failed';
				entry.reason = 'mailbox unavailable';
			}
		}
		newsletters.push({
			id: `nwl-${campaigns - age}`,
			title: `${topic} ${month}`,
			subject: `${topic}: what is new in ${month}`,
			template_id: random.pick(templates),
			status,
			scheduled_at: null,
			created_at: unixSeconds(today, age * 7 + 1),
			recipients,
			queue,
		});
	}
	return newsletters;
}
