// Every list: whole, cut by a limit, from a later row on, and empty. What it must hold is read from the sandbox's state.
import { byId } from '../execution/host/run.cts';
import type { Sandbox } from '../sandbox/index.cts';
import type { Form } from '../table/forms.cts';
import { entryOf, shapeOf } from '../table/operations.cts';
import { type Bench, type Check, expectThat } from './bench.cts';

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

interface List {
	node: string;
	operation: string;
	/** The form; with the ids of the state. */
	form?: Form | ((sandbox: Sandbox) => Form);
	/** Field of an item that identifies a row, `id` unless said otherwise. */
	key?: string;
	/** What the list holds. */
	holds: (sandbox: Sandbox) => readonly string[];
	/** Whether the list has pages, so that a limit ends the reading. */
	limited?: boolean;
	/** A name, where one operation has several. */
	as?: string;
}

const list = (
	node: string,
	operation: string,
	holds: List['holds'],
	more: Partial<List> = {},
): List => ({ node, operation, holds, ...more });

/** A list that takes pages, so that a limit ends the reading. */
const paged = (...[node, operation, holds, more]: Parameters<typeof list>) =>
	list(node, operation, holds, { ...more, limited: true });

const everyYear = { start: '2000-01-01', end: '2099-12-31' };

const lists: List[] = [
	paged('platformCustomers', 'customer.getAll', ({ state }) =>
		idsOf(state.customers.customers.rows),
	),
	paged('platformRecurringPayments', 'subscription.getAll', ({ state }) =>
		state.subscriptions.subscriptions.rows.map(({ recurringId }) => recurringId),
	),
	paged(
		'platformCustomers',
		'usage.getHistory',
		({ state }) => idsOf(state.subscriptions.subscriptions.get('sub-500001')?.usages ?? []),
		{ form: { customerId: byId('cus-100001'), subscriptionId: byId('sub-500001') } },
	),
	list(
		'platformCustomers',
		'subscription.getAll',
		({ state }) => state.customers.customers.get('cus-100001')?.subscriptions ?? [],
		{ form: { customerId: byId('cus-100001') } },
	),
	list(
		'platformCustomers',
		'property.getAll',
		({ state }) => Object.keys(state.customers.customers.get('cus-100001')?.properties ?? {}),
		{ form: { customerId: byId('cus-100001'), simplify: false }, key: 'name' },
	),
	paged('platformPartners', 'partner.getAll', ({ state }) => idsOf(state.partners.partners.rows)),
	list(
		'platformPartners',
		'partner.getCustomers',
		({ state }) =>
			idsOf(state.customers.customers.rows.filter(({ partner }) => partner === 'ptn-1')),
		{ form: { partnerId: byId('ptn-1') } },
	),
	list(
		'platformPartners',
		'fee.getAll',
		({ state }) =>
			idsOf(state.partners.fees.rows.filter(({ partner_id }) => partner_id === 'ptn-1')),
		{ form: { partnerId: byId('ptn-1') } },
	),
	paged('platformPartners', 'payout.getAll', ({ state }) => idsOf(state.payouts.payouts.rows), {
		form: { payoutsOf: 'all' },
	}),
	paged(
		'platformPartners',
		'payout.getAll',
		({ state }) =>
			idsOf(state.payouts.payouts.rows.filter(({ partner_id }) => partner_id === 'ptn-1')),
		{ as: 'of one partner', form: { payoutsOf: 'partner', partnerId: byId('ptn-1') } },
	),
	paged('platformWebhooks', 'webhook.getAll', ({ state }) => idsOf(state.webhooks.webhooks.rows), {
		form: ({ state }) => {
			const { webhooks } = state.webhooks;
			for (let n = webhooks.size; n < 130; n += 1) {
				webhooks.add({
					id: `whk-7${n}`,
					name: `Webhook ${n}`,
					description: '',
					url: `https://example.com/${n}`,
					events: ['RecurringPayments.charge.paid'],
					token: `token-of-webhook-${n}`,
				});
			}
			return {};
		},
	}),
	paged('platformWorkflows', 'workflow.getAll', ({ state }) =>
		idsOf(state.workflows.workflows.rows),
	),
	paged(
		'platformWorkflows',
		'trace.getAll',
		({ state }) => idsOf(state.workflows.traces.get('wfl-1')?.rows ?? []),
		{ form: { workflowId: byId('wfl-1') } },
	),
	paged('platformContentBox', 'content.getAll', ({ state }) =>
		idsOf(state.contentBox.contents.rows),
	),
	paged(
		'platformContentBox',
		'content.getAll',
		({ state }) =>
			idsOf(state.contentBox.contents.rows.filter((content) => content.state === 'public')),
		{ as: 'filtered', form: { filters: { state: { __rl: true, mode: 'name', value: 'public' } } } },
	),
	paged(
		'platformContentBox',
		'contentType.getAll',
		({ state }) => idsOf(state.contentBox.types.rows),
		{
			form: ({ state }) => {
				const { types } = state.contentBox;
				const [pattern] = types.rows;
				for (let n = types.size; n < 60; n += 1) types.add({ ...pattern, id: `typ-more${n}` });
				return {};
			},
		},
	),
	paged('platformNewsletters', 'newsletter.getAll', ({ state }) =>
		idsOf(state.newsletters.newsletters.rows),
	),
	paged(
		'platformNewsletters',
		'suppression.getAll',
		({ state }) => idsOf(state.unsubscribes.suppressions.rows),
		{ key: 'email' },
	),
	paged(
		'platformNewsletters',
		'recipient.getAll',
		({ state }) => idsOf(state.customers.customers.rows),
		{ as: 'all customers', form: { newsletterId: byId('nwl-120'), output: 'customers' } },
	),
	list(
		'platformNewsletters',
		'recipient.getAll',
		({ state }) => {
			const selected = state.newsletters.newsletters.get('nwl-120')?.recipients ?? [];
			return idsOf(state.customers.customers.rows.filter(({ id }) => selected.includes(id)));
		},
		{ form: { newsletterId: byId('nwl-120') } },
	),
	list(
		'platformCustomers',
		'customer.getAll',
		({ state }) => idsOf(state.customers.customers.rows.filter(({ tags }) => tags.includes('vip'))),
		{ as: 'found by tag', form: { filters: { tag: 'vip' } } },
	),
	list('platformScheduler', 'event.getAll', ({ state }) => idsOf(state.scheduler.events.rows), {
		form: everyYear,
	}),
	list('platformCompany', 'company.getModules', ({ state }) => idsOf(state.company.modules)),
	list('platformCompany', 'currency.getAll', ({ state }) => Object.keys(state.currencies.rates), {
		key: 'currency',
	}),
	list('platformAiGateway', 'connection.getAll', ({ state }) =>
		idsOf(state.aiConnections.connections.rows),
	),
	list('platformAiGateway', 'vectorStore.getAll', ({ state }) =>
		idsOf(state.aiVectorStores.stores.rows),
	),
	list('platformAiGateway', 'prompt.getAll', ({ state }) => idsOf(state.aiPrompts.prompts.rows)),
	list('platformAiGateway', 'knowledgeBase.getAll', ({ state }) =>
		idsOf(state.aiKnowledgeBases.bases.rows),
	),
];

/** Lists without a row. */
const empties: List[] = [
	list('platformWebhooks', 'webhook.getAll', () => [], {
		form: ({ state }) => {
			for (const { id } of [...state.webhooks.webhooks.rows]) state.webhooks.webhooks.remove(id);
			return {};
		},
	}),
	list('platformContentBox', 'content.getAll', () => [], {
		form: { filters: { search: 'no content says this' } },
	}),
	list('platformScheduler', 'event.getAll', () => [], {
		form: { start: '1999-01-01', end: '1999-12-31' },
	}),
	list('platformCustomers', 'property.getAll', () => [], {
		form: ({ state }) => {
			const customer = state.customers.customers.rows[7];
			customer.properties = {};
			return { customerId: byId(customer.id), simplify: false };
		},
	}),
	list('platformCustomers', 'usage.getHistory', () => [], {
		form: ({ state }) => {
			const none = state.subscriptions.subscriptions.rows.find(({ usages }) => usages.length === 0);
			return {
				customerId: byId(String(none?.customerId)),
				subscriptionId: byId(String(none?.id)),
			};
		},
	}),
	list('platformNewsletters', 'recipient.getAll', () => [], {
		form: { newsletterId: byId('nwl-120'), filters: { search: 'nobody has this name' } },
	}),
];

const formOf = ({ form = {} }: List, sandbox: Sandbox): Form =>
	typeof form === 'function' ? form(sandbox) : form;

/** The keys of what came, and what the user was told. */
async function read(bench: Bench, list: List, form: Form) {
	const { node, operation, key = 'id' } = list;
	const { items, error, hints } = await bench.run(node, operation, form);
	return { keys: items.map(({ json }) => String(json[key])), error, hints: hints.join(' ') };
}

/** All keys once and none of others; rows may be missing only if the user is told. */
function checkRows(
	list: List,
	wanted: string[],
	least: number,
	got: Awaited<ReturnType<typeof read>>,
) {
	const { keys, hints } = got;
	const known = new Set(wanted);
	const foreign = keys.filter((key) => !known.has(key));
	expectThat(foreign.length === 0, `rows of nowhere: ${foreign.slice(0, 3).join(', ')}`);
	// An event that repeats may come once for each time.
	const isUnfolded = list.operation === 'event.getAll';
	const distinct = new Set(keys).size;
	expectThat(isUnfolded || distinct === keys.length, `${keys.length - distinct} rows twice`);
	expectThat(distinct >= least || hints !== '', `${distinct} of ${least} rows, and nobody is told`);
}

const titleOf = ({ node, operation, as = '' }: List) => `${node}.${operation} ${as}`.trim();

const whole = lists.map((list): Check => ({
	name: `list ${titleOf(list)}`,
	async run(bench) {
		const form = { ...formOf(list, bench.sandbox), returnAll: true };
		const wanted = [...bench.sandbox.shown(list.holds(bench.sandbox))];
		const got = await read(bench, list, form);
		expectThat(got.error === undefined, `an error: ${got.error?.message}`);
		checkRows(list, wanted, wanted.length, got);
	},
}));

const limits = lists
	.filter(({ limited }) => limited)
	.map((list): Check => ({
		name: `limit ${titleOf(list)}`,
		async run(bench) {
			const wanted = [...bench.sandbox.shown(list.holds(bench.sandbox))];
			for (const limit of [3, 55]) {
				const form = { ...formOf(list, bench.sandbox), returnAll: false, limit };
				const got = await read(bench, list, form);
				expectThat(got.error === undefined, `an error: ${got.error?.message}`);
				expectThat(got.keys.length <= limit, `${got.keys.length} rows for a limit of ${limit}`);
				const all = bench.sandbox.shown(list.holds(bench.sandbox));
				checkRows(list, [...wanted, ...all], Math.min(limit, all.length), got);
			}
		},
	}));

/** Lists of the table that can begin later. */
const canSkip = ({ node, operation, form }: List) => {
	const [resource, name] = operation.split('.');
	const shape = shapeOf(entryOf(node, resource, name).operation);
	const isFound =
		typeof form === 'object' && 'filters' in form && 'tag' in (form.filters as object);
	return shape.kind === 'list' && shape.paging === 'paged' && !isFound;
};

const skips = lists.filter(canSkip).map((list): Check => ({
	name: `skip ${titleOf(list)}`,
	async run(bench) {
		const form = formOf(list, bench.sandbox);
		const whole = await read(bench, list, { ...form, returnAll: true });
		expectThat(whole.error === undefined, `an error: ${whole.error?.message}`);
		// Where rows are missing, they can't be counted.
		if (whole.hints !== '') return;
		for (const skip of [3, 50, whole.keys.length - 1, whole.keys.length, 1000]) {
			const slice = { ...form, returnAll: false, limit: 20, options: { skip } };
			const { keys, error } = await read(bench, list, slice);
			expectThat(error === undefined, `an error behind ${skip}: ${error?.message}`);
			const right = whole.keys.slice(skip, skip + 20);
			expectThat(
				keys.join() === right.join(),
				`behind ${skip} of ${whole.keys.length} rows: ${keys.length} rows, not the ${right.length} that follow`,
			);
		}
	},
}));

const nothing = empties.map((list): Check => ({
	name: `empty list ${titleOf(list)}`,
	async run(bench) {
		const { keys, error, hints } = await read(bench, list, formOf(list, bench.sandbox));
		// A count of rows that are not there is no empty list: what it means isn't known.
		const isContrary =
			bench.world.searchCount === 'all rows' && bench.world.emptyLists === 'no key';
		if (isContrary && error) return;
		expectThat(error === undefined, `an error: ${error?.message}`);
		expectThat(keys.length === 0, `${keys.length} rows of nothing`);
		// A count of all rows says more than there is to come.
		const isMiscounted = bench.world.searchCount === 'all rows';
		expectThat(hints === '' || isMiscounted, `a hint about nothing: ${hints}`);
	},
}));

export const listChecks: Check[] = [...whole, ...limits, ...skips, ...nothing];
