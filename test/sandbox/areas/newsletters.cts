/** Newsletter campaigns, their recipients, queue and statistics. Reference: 'Newsletters'. */
import { queryText, type Area, type Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { chosen, entryStatuses, isSuppressed, queueOf, type QueueEntry } from '../mailing.cts';
import { refuse } from '../refusals.cts';
import { seedNewsletters } from '../seeds/newsletters.cts';
import type { Customer } from './customers.cts';

export interface Newsletter {
	id: string;
	title: string;
	subject: string;
	template_id: string;
	status: 'draft' | 'queued';
	scheduled_at: null;
	/** Unix seconds. */
	created_at: number;
	/** Ids of customers. */
	recipients: string[];
	/** Empty until the campaign is queued. */
	queue: QueueEntry[];
}

export interface NewslettersState {
	/** Newest first. */
	newsletters: Collection<Newsletter>;
	/** Ids of customers who have not agreed to be written to. */
	withoutConsent: Set<string>;
}

type NewsletterInput = Pick<Newsletter, 'title' | 'subject' | 'template_id'>;

const defaultFailureLimit = 20;

const newsletterOf = ({ state, params }: Call): Newsletter =>
	state.newsletters.newsletters.need(params.newsletterId, 'notFound', 'Newsletter not found');

function draftOf(call: Call): Newsletter {
	const newsletter = newsletterOf(call);
	if (newsletter.status !== 'draft') throw refuse('newsletterNotDraft');
	return newsletter;
}

const shown = ({ recipients, queue: _queue, ...campaign }: Newsletter) => ({
	...campaign,
	total_recipients: recipients.length,
});

/** The campaign at its place in the statistics. */
function campaignIn({ world }: Call, newsletter: Newsletter): Record<string, unknown> {
	const campaign = shown(newsletter);
	return world.statsCampaign === 'beside the stats'
		? campaign
		: { [world.statsCampaign]: campaign };
}

const nameOf = ({ first_name, last_name, company_name, id }: Customer): string =>
	[first_name, last_name].filter(Boolean).join(' ') || (company_name ?? id);

const percent = (part: number, whole: number): number =>
	whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;

export const newsletters: Area<NewslettersState> = {
	seed(seeding) {
		const customers = seeding.state.customers.customers.rows;
		const silent = customers.filter(() => seeding.random.chance(0.1)).map(({ id }) => id);
		return {
			newsletters: new Collection(seedNewsletters(seeding)),
			withoutConsent: new Set(silent),
		};
	},

	endpoints: {
		'GET /newsletters.json': (call) =>
			envelope(call, call.state.newsletters.newsletters.rows, { element: shown }),

		'POST /newsletters.json': (call) => {
			const { newsletter: input } = call.body as {
				newsletter: NewsletterInput & { contact_ids?: string[] };
			};
			const { title, subject, template_id, contact_ids } = input;
			const { recipients, ...skipped } = chosen(call.state, contact_ids);
			const { id, status } = call.state.newsletters.newsletters.add(
				{
					id: call.newId('nwl'),
					title,
					subject,
					template_id,
					status: 'draft',
					scheduled_at: null,
					created_at: Math.floor(call.now().getTime() / 1000),
					recipients,
					queue: [],
				},
				'front',
			);
			return { id, status, ...skipped };
		},

		'GET /newsletters/{newsletterId}.json': (call) => shown(newsletterOf(call)),

		'PUT /newsletters/{newsletterId}.json': (call) => {
			const { newsletter: input } = call.body as { newsletter: Partial<NewsletterInput> };
			return shown(call.state.newsletters.newsletters.update(draftOf(call).id, input));
		},

		'DELETE /newsletters/{newsletterId}.json': (call) =>
			call.state.newsletters.newsletters.deleted(newsletterOf(call)),

		'GET /newsletters/{newsletterId}/recipients.json': (call) => {
			const { status, recipients } = newsletterOf(call);
			const search = queryText(call, 'search')?.toLowerCase() ?? '';
			const all_customers = call.state.customers.customers.rows
				.map((customer) => ({
					id: customer.id,
					name: nameOf(customer),
					[call.world.recipientEmail]: customer.email ?? '',
					tags: customer.tags,
					subscription_count: customer.subscriptions.length,
					has_consent: !call.state.newsletters.withoutConsent.has(customer.id),
					is_suppressed: isSuppressed(call.state, customer.email ?? ''),
				}))
				.filter((row) =>
					`${row.name}\n${row[call.world.recipientEmail]}`.toLowerCase().includes(search),
				);
			return { newsletter_status: status, selected_ids: recipients, all_customers };
		},

		'PUT /newsletters/{newsletterId}/recipients.json': (call) => {
			const { newsletter: input } = call.body as { newsletter: { contact_ids: string[] } };
			const { id } = draftOf(call);
			const { recipients, ...skipped } = chosen(call.state, input.contact_ids);
			call.state.newsletters.newsletters.update(id, { recipients });
			return { newsletter_id: id, saved_recipients: recipients.length, ...skipped };
		},

		'POST /newsletters/{newsletterId}/queue.json': (call) => {
			const { id, status, title, recipients: saved } = newsletterOf(call);
			if (status === 'queued') throw refuse('newsletterQueued');
			if (saved.length === 0) throw refuse('conflict', 'This newsletter has no recipients');
			if (/usage limit/i.test(title)) throw refuse('conflict', 'Newsletter usage limit reached');
			const { recipients, ...skipped } = chosen(call.state, saved);
			const queue = queueOf(call.state, saved);
			call.state.newsletters.newsletters.update(id, { status: 'queued', queue });
			return {
				newsletter_id: id,
				status: 'queued',
				queued_recipients: recipients.length,
				...skipped,
			};
		},

		'POST /newsletters/{newsletterId}/test.json': (call) => {
			const { newsletter: input } = call.body as { newsletter: { test_email: string } };
			const { id } = newsletterOf(call);
			const { test_email } = input;
			if (!test_email.includes('@')) {
				throw refuse('invalidRequest', 'A valid test_email is required');
			}
			return { newsletter_id: id, test_email, sent: true };
		},

		'GET /newsletters/{newsletterId}/stats.json': (call) => {
			const newsletter = newsletterOf(call);
			const { queue } = newsletter;
			const limit = Number(queryText(call, 'failure_limit') ?? defaultFailureLimit);
			const stats = Object.fromEntries(
				entryStatuses.map((name) => [name, queue.filter(({ status }) => status === name).length]),
			);
			const tried = stats.sent + stats.failed;
			const processed = tried + stats.skipped;
			return {
				...campaignIn(call, newsletter),
				stats: { ...stats, total: queue.length },
				progress: {
					processed,
					total: queue.length,
					overall_progress: percent(processed, queue.length),
					delivery_rate: percent(stats.sent, tried),
				},
				failures: queue
					.filter(({ status }) => status === 'failed' || status === 'skipped')
					.slice(0, Math.max(0, limit))
					.map(({ customer_id, status, reason }) => ({
						customer_id,
						email: call.state.customers.customers.get(customer_id)?.email,
						status,
						reason,
					})),
			};
		},
	},
};
