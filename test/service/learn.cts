// What answers show of the open questions: the choices of a world, read from a service.
import type { Schema } from '../contract/contract.cts';
import type { DimensionName } from '../contract/worlds.cts';
import type { Asked, Service } from './ask.cts';
import { NO_ID, rowsOf, type Visited } from './walk.cts';

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const isOk = ({ status, body }: Asked) => status >= 200 && status < 300 && !isError(body);

/** An error body, under whatever status. */
export const isError = (body: unknown): body is { error: string } =>
	isMembers(body) && Object.keys(body).join() === 'error' && typeof body.error === 'string';

/** What is asked beside the walk, and what came of the walk. */
class Look {
	constructor(
		readonly service: Service,
		readonly visited: readonly Visited[],
	) {}

	/** The walk's answer of an endpoint, if it went well. */
	of(operationId: string): Asked | undefined {
		const answer = this.visited.find(
			({ endpoint }) => endpoint.operationId === operationId,
		)?.answer;
		return answer && isOk(answer) ? answer : undefined;
	}

	members(operationId: string): Members | undefined {
		const body = this.of(operationId)?.body;
		return isMembers(body) ? body : undefined;
	}

	rows(operationId: string): Members[] {
		return rowsOf(this.of(operationId)?.body);
	}

	/** One more question, if the walk's answer shows that the key may ask it. */
	async more(operationId: string, path: string): Promise<Asked | undefined> {
		return this.of(operationId) && (await this.service.get(path));
	}
}

type Learner = (look: Look) => string | undefined | Promise<string | undefined>;

const statusText = (asked: Asked | undefined) => (asked ? String(asked.status) : undefined);

/** The record, also where it is below its name. */
function recordOf({ endpoint, answer }: Visited): Members | undefined {
	const body = answer?.body;
	if (!isMembers(body)) return undefined;
	const inner = endpoint.wrapper === undefined ? undefined : body[endpoint.wrapper];
	return isMembers(inner) ? inner : body;
}

/** Values of optional members of a text type, wherever an answer has them. */
function optionalTexts(value: unknown, schema: Schema | undefined): unknown[] {
	if (schema === undefined || typeof schema !== 'object') return [];
	if (Array.isArray(value)) return value.flatMap((each) => optionalTexts(each, schema.items));
	if (!isMembers(value)) return [];
	const { properties = {}, required = [] } = schema;
	return Object.entries(properties).flatMap(([name, each]) => {
		const isText = [each.type ?? []].flat().includes('string') && each.format === undefined;
		const isOptional = !required.includes(name) && !('x-items' in schema);
		return [...(isOptional && isText ? [value[name]] : []), ...optionalTexts(value[name], each)];
	});
}

const schemaOf = ({ endpoint, answer }: Visited): Schema | undefined => {
	const { responses } = endpoint;
	return (responses[String(answer?.status)] ?? responses['2XX'])?.body?.schema;
};

/** Subscriptions of which the usages are read until some are found. */
const SUBSCRIPTIONS = 6;

/** The usage history with the most rows of the first subscriptions, as its path. */
async function usagePath({ service, rows }: { service: Service; rows: Members[] }) {
	let found: { path: string; rows: number } | undefined;
	for (const { customerId, subscription_reference: id } of rows.slice(0, SUBSCRIPTIONS)) {
		if (typeof customerId !== 'string' || typeof id !== 'string') continue;
		const ids = [customerId, id].map(encodeURIComponent);
		const path = `/customers/${ids[0]}/subscriptions/${ids[1]}.json`;
		const asked = await service.get(path);
		const number = isOk(asked) ? rowsOf(asked.body).length : 0;
		if (number > (found?.rows ?? 0)) found = { path, rows: number };
	}
	return found;
}

/** The usage history that shows most, from the walk or from recurring subscriptions. */
async function usages(look: Look): Promise<{ path: string; rows: number } | undefined> {
	const walked = look.of('listSubscriptionUsages');
	const own = walked && { path: walked.path, rows: rowsOf(walked.body).length };
	if (own && own.rows > 3) return own;
	const { service } = look;
	const other = await usagePath({ service, rows: look.rows('listRecurringSubscriptions') });
	return (other?.rows ?? 0) > (own?.rows ?? 0) ? other : own;
}

const sizes = [5000, 1000, 100, 50, 20];

/** `per_page` of the customers for each size that is asked for; undefined where it was refused. */
async function pagesOfSizes(look: Look): Promise<Map<number, number | undefined>> {
	const pages = new Map<number, number | undefined>();
	for (const size of sizes) {
		const asked = await look.more('listCustomers', `/customers.json?size=${size}`);
		if (!asked) continue;
		const { per_page } = isMembers(asked.body) ? asked.body : {};
		pages.set(size, isOk(asked) && typeof per_page === 'number' ? per_page : undefined);
	}
	return pages;
}

const largest = (pages: Map<number, number | undefined>) =>
	sizes.find((size) => pages.get(size) === size);

const kept = (values: unknown[]) =>
	values.every((value, index) => index === 0 || Number(values[index - 1]) >= Number(value));

const byKey = (value: Members | undefined, keys: readonly string[]) =>
	value && keys.find((key) => key in value);

const learners: Partial<Record<DimensionName, Learner>> = {
	// Errors
	invalidStatus: async (look) => {
		// Without a key to look up by: the message is documented, its status is not.
		const asked = await look.service.get('/partners/partner.json');
		const isIt = isError(asked.body) && /valid externalId or email/.test(asked.body.error);
		return isIt ? statusText(asked) : undefined;
	},
	unknownStatus: async (look) =>
		statusText(await look.more('listPartners', `/partners/${NO_ID}.json`)),
	unknownMessage: async (look) => {
		const asked = await look.more('listPartners', `/partners/${NO_ID}.json`);
		if (!asked || !isError(asked.body)) return undefined;
		const { error } = asked.body;
		if (/not found/i.test(error)) return 'not found';
		return /not exist/i.test(error) ? 'does not exist' : 'invalid id';
	},
	missingScope: ({ visited }) => {
		const refused = visited.find(
			({ answer }) =>
				(answer?.status === 401 || answer?.status === 403) &&
				!(isError(answer.body) && answer.body.error === 'Invalid token'),
		);
		// Where a record is asked for that nobody has, a 403 may be about the record.
		return refused && !refused.answer?.path.includes(NO_ID)
			? statusText(refused.answer)
			: undefined;
	},
	retryAfter: ({ service }) => {
		if (service.pauses.length === 0) return undefined;
		const text = String(service.pauses[0] ?? '');
		if (text === '') return 'none';
		return /^\d+$/.test(text) ? 'seconds' : 'date';
	},

	// Answers
	records: ({ visited }) => {
		const record = visited.find(
			({ endpoint, answer }) => endpoint.wrapper && answer && isOk(answer),
		);
		const body = record?.answer?.body;
		if (!record || !isMembers(body)) return undefined;
		// A look-up that finds nothing has no record.
		if (record.endpoint.operationId === 'findPartner') return undefined;
		return isMembers(body[String(record.endpoint.wrapper)]) ? 'below their name' : 'bare';
	},
	further: (look) => {
		const known = ['status', 'env', 'RRT'];
		const ping = look.members('ping');
		if (!ping) return undefined;
		const more = Object.keys(ping).filter((name) => !known.includes(name));
		if (more.includes('error')) return 'some, also error and message';
		return more.length > 0 ? 'some' : 'none';
	},
	unset: ({ visited }) => {
		const texts = visited.flatMap((each) =>
			each.answer && isOk(each.answer) && !each.answer.path.includes(NO_ID)
				? optionalTexts(recordOf(each), schemaOf(each))
				: [],
		);
		if (texts.includes(undefined)) return 'absent';
		if (texts.includes(null)) return 'null';
		return texts.includes('') ? 'empty text' : undefined;
	},
	openNumbers: (look) => {
		const progress = look.members('getNewsletterStats')?.progress;
		if (!isMembers(progress)) return undefined;
		return typeof progress.overall_progress === 'string' ? 'texts' : 'numbers';
	},
	openTimes: (look) => {
		const at = look.members('lookUpDns')?.generated_at;
		if (at === undefined || at === null) return undefined;
		return typeof at === 'number' ? 'Unix seconds' : 'ISO 8601';
	},
	ids: async (look) => {
		const [row] = look.rows('listPartners');
		if (row === undefined) return undefined;
		const id = String(row.id);
		if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return 'UUIDs';
		if (!/^\d+$/.test(id)) return 'prefix and number';
		const found = await usages(look);
		const [usage] = found ? rowsOf((await look.service.get(found.path)).body) : [];
		if (usage?.id === undefined) return undefined;
		return typeof usage.id === 'number'
			? 'digits, numbers where the record is not shown'
			: 'digits';
	},
	statusWords: (look) => {
		const words = look.rows('listRecurringSubscriptions').map((row) => row.last_payment_status);
		const known = ['pending, paid, failed', 'open, succeeded, declined'];
		return known.find((choice) => words.some((word) => choice.split(', ').includes(String(word))));
	},

	// Lists
	defaultSize: (look) => {
		const size = look.members('listPartners')?.per_page;
		return size === undefined ? undefined : String(size);
	},
	largestSize: async (look) => {
		const size = largest(await pagesOfSizes(look));
		return size === undefined ? undefined : String(size);
	},
	oversize: async (look) => {
		const pages = await pagesOfSizes(look);
		const most = largest(pages);
		if (most === undefined || most === sizes[0]) return undefined;
		if (pages.get(sizes[0]) === undefined) return 'refused';
		const standard = Number(look.members('listCustomers')?.per_page);
		// Where the usual page is the largest one, the two cannot be told apart.
		if (standard === most) return undefined;
		return pages.get(sizes[0]) === most ? 'cut' : 'the default size';
	},
	beyondEnd: async (look) => {
		const asked = await look.more('listPartners', '/partners.json?page=99999');
		if (!asked) return undefined;
		if (!isOk(asked)) {
			return isError(asked.body) && /not found|not exist|invalid id/i.test(asked.body.error)
				? 'not found'
				: 'refused';
		}
		return rowsOf(asked.body).length > 0 ? 'the last one again' : 'empty';
	},
	countTypes: (look) => {
		const count = look.members('listContents')?.count;
		return count === undefined ? undefined : typeof count === 'string' ? 'texts' : 'numbers';
	},
	arrays: (look) => {
		const answer = look.of('listCurrencies');
		return answer && (Array.isArray(answer.body) ? 'bare' : 'in the envelope');
	},
	lookups: async (look) => {
		const known = look.rows('listCustomers').find((row) => Boolean(row.external_id));
		if (!known) return undefined;
		const key = encodeURIComponent(String(known.external_id));
		const asked = await look.service.get(`/customers/customer.json?externalId=${key}`);
		if (!isOk(asked)) return undefined;
		return Array.isArray(asked.body) ? 'a bare list' : 'the record';
	},
	emptyLists: async (look) => {
		const asked = await look.more('listContents', `/contentbox/contents.json?search=${NO_ID}`);
		if (!asked || !isOk(asked) || !isMembers(asked.body)) return undefined;
		const { elements } = asked.body;
		if (elements === undefined) return 'no key';
		return Array.isArray(elements) ? '[]' : elements === null ? 'null' : '{}';
	},
	emptyMaps: ({ visited }) => {
		const maps = visited.find(({ endpoint }) => endpoint.operationId === 'getCustomerProperties');
		const elements = isMembers(maps?.answer?.body) ? maps.answer.body.elements : undefined;
		if (Array.isArray(elements)) return '[]';
		return isMembers(elements) && Object.keys(elements).length === 0 ? '{}' : undefined;
	},
	partialEnvelopes: (look) => {
		const fees = look.members('listPartnerFees');
		if (!fees) return undefined;
		// Fees may have it for pages of their own.
		if ('per_page' in (look.members('listContentTypes') ?? {})) return 'count and per_page';
		return 'count' in fees ? 'count' : 'nothing';
	},
	usageEnvelope: async (look) => {
		const found = await usages(look);
		const body = found && (await look.service.get(found.path)).body;
		if (!isMembers(body)) return undefined;
		if ('pages' in body) return 'count' in body ? 'count, per_page and pages' : 'pages';
		return 'count' in body ? 'count' : 'nothing';
	},
	usagePaging: async (look) => {
		const found = await usages(look);
		if (!found || found.rows < 4) return undefined;
		const rows = async (query: string) => {
			const asked = await look.service.get(`${found.path}${query}`);
			return isOk(asked) ? rowsOf(asked.body) : [];
		};
		if ((await rows('?size=2')).length === 2) return 'size and page';
		const first = await rows('');
		const second = await rows('?page=2');
		const { body } = await look.service.get(found.path);
		const { count, pages } = body as { count?: unknown; pages?: { max?: unknown } };
		if (JSON.stringify(first) !== JSON.stringify(second)) return 'page';
		const isPart = Number(count) > first.length || Number(pages?.max) > 1;
		if (isPart) return 'not at all';
		// A page without an end in sight may be all there is, or the only one that comes.
		return count === undefined && pages === undefined ? undefined : 'all rows at once';
	},
	order: async (look) => {
		const asked = await look.more('listNewsletters', '/newsletters.json?size=20');
		const times = rowsOf(asked?.body).map((row) => row.created_at);
		if (times.length < 3) return undefined;
		if (kept(times)) return 'as kept';
		return kept([...times].reverse()) ? 'the other way round' : 'mixed';
	},
	searchCount: async (look) => {
		const asked = await look.more('listContents', `/contentbox/contents.json?search=${NO_ID}`);
		const all = look.members('listContents')?.count;
		const count = isMembers(asked?.body) ? asked.body.count : undefined;
		if (count === undefined || !Number(all)) return undefined;
		return Number(count) === 0 ? 'matches' : 'all rows';
	},
	recurringRows: (look) => {
		const [row] = look.rows('listRecurringSubscriptions');
		if (!row) return undefined;
		if ('plan_id' in row) return 'plan_id and plan_name';
		return 'name' in row ? 'name' : 'nothing more';
	},
	recurrences: (look) => {
		const events = look.rows('listSchedulerEvents');
		const repeating = events.filter(({ recurrence }) => isMembers(recurrence)).map(({ id }) => id);
		if (repeating.length === 0) return undefined;
		return new Set(repeating).size < repeating.length ? 'a row for each time' : 'one row';
	},
	schedulerRange: (look) => {
		const range = look.members('listSchedulerEvents')?.range;
		if (!isMembers(range)) return undefined;
		return range.start === '2000-01-01' ? 'as asked' : 'as times';
	},
	recipientEmail: (look) => {
		const [row] = look.rows('getNewsletterRecipients');
		return byKey(row, ['email', 'email_address', 'contact_email']);
	},
	statsCampaign: (look) => {
		const stats = look.members('getNewsletterStats');
		return stats && (byKey(stats, ['newsletter', 'campaign']) ?? 'beside the stats');
	},
	partnerCode: async (look) => {
		const row = look.rows('listPartners').find(({ partner_code: code }) => Boolean(code));
		if (!row) return undefined;
		const asked = await look.service.get(`/partners/${encodeURIComponent(String(row.id))}.json`);
		const { body } = asked;
		const partner = isMembers(body) && isMembers(body.partner) ? body.partner : body;
		if (!isMembers(partner)) return undefined;
		return ['partner_code', 'code'].find((name) => Boolean(partner[name]));
	},
	partnerNone: ({ visited }) => {
		const answer = visited.find(({ endpoint }) => endpoint.operationId === 'findPartner')?.answer;
		if (!answer) return undefined;
		if (!isOk(answer)) return answer.status === 401 ? undefined : 'error';
		if (answer.body === null) return 'null';
		if (Array.isArray(answer.body)) return '[]';
		return isMembers(answer.body) && Object.keys(answer.body).length === 0 ? '{}' : undefined;
	},
	queryArrays: async (look) => {
		const reads = async (name: string) => {
			const path = `/dns/lookup.json?target=example.com&${name}=A&${name}=MX`;
			const asked = await look.more('lookUpDns', path);
			if (!asked || !isOk(asked) || !isMembers(asked.body)) return undefined;
			const types = asked.body.recordTypes;
			return Array.isArray(types) && types.includes('A') && types.includes('MX');
		};
		const repeated = await reads('recordTypes');
		const bracketed = await reads('recordTypes[]');
		if (repeated === undefined) return undefined;
		if (repeated) return bracketed ? 'repeated or bracketed' : 'repeated';
		return bracketed ? 'bracketed' : 'the last one';
	},
};

/** What answers show of a dimension. */
export interface Learned {
	name: DimensionName;
	/** A choice of the dimension, or something else that nobody thought of. */
	found: string;
}

/** All that reading shows of the open questions. */
export async function learn(service: Service, visited: readonly Visited[]): Promise<Learned[]> {
	const look = new Look(service, visited);
	const learned: Learned[] = [];
	for (const [name, learner] of Object.entries(learners) as Array<[DimensionName, Learner]>) {
		const found = await learner(look);
		if (found !== undefined) learned.push({ name, found });
	}
	return learned;
}
