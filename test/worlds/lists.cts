// Every list: whole, cut by a limit, from a later row on, and empty. What it must hold, the service's own handler says.
import { areas } from '../sandbox/areas/index.cts';
import type { Area, Call, Endpoint } from '../sandbox/area.cts';
import type { Sandbox } from '../sandbox/index.cts';
import { findEndpoint } from '../contract/contract.cts';
import { usualWorld } from '../contract/worlds.cts';
import { byId } from '../execution/host/run.cts';
import { compositeOf } from '../../tools/composites.cts';
import { keyOf, ownForm } from '../table/existing.cts';
import type { Form } from '../table/forms.cts';
import { partsOf, shapeOf, table, type TableEntry } from '../table/operations.cts';
import { type Bench, type Check, expectThat } from './bench.cts';

type Row = Record<string, unknown>;

interface List {
	entry: TableEntry;
	/** Where its rows stand in a response. */
	items: string;
	/** Field of an item that identifies a row, and of a row where that is no text. */
	key: string;
	/** The list has pages, so that a limit ends the reading, and it can begin later. */
	isPaged: boolean;
	/** Makes the service ready. Returns what the form has beside the smallest one. */
	form: (sandbox: Sandbox) => Form;
	/** The rows that the form asks for. */
	keeps: (row: Row, sandbox: Sandbox) => boolean;
	/** A name, where one operation has several. */
	as?: string;
}

/** Lists that have several pages only if rows are added. */
const fillings: Record<string, (sandbox: Sandbox) => void> = {
	'platformWebhooks.webhook.getAll': ({
		state: {
			webhooks: { webhooks },
		},
	}) => {
		for (let n = webhooks.size; n < 130; n += 1) {
			const url = `https://example.com/${n}`;
			const events = ['RecurringPayments.charge.paid'];
			const token = `token-of-webhook-${n}`;
			webhooks.add({ id: `whk-7${n}`, name: `Webhook ${n}`, description: '', url, events, token });
		}
	},
	'platformContentBox.contentType.getAll': ({
		state: {
			contentBox: { types },
		},
	}) => {
		const [pattern] = types.rows;
		for (let n = types.size; n < 60; n += 1) types.add({ ...pattern, id: `typ-more${n}` });
	},
};

const handlers = new Map(
	Object.values<Area<unknown>>(areas).flatMap(({ endpoints }) =>
		Object.entries<Endpoint>(endpoints),
	),
);

/** The lists of the table that only read. */
const lists: List[] = table.flatMap((entry) => {
	const shape = shapeOf(entry.operation);
	const { properties, row } = compositeOf(entry) ?? {};
	const isRead = partsOf(entry.operation.endpoint.route).method === 'GET';
	if (!('items' in shape || shape.kind === 'list' || shape.kind === 'strings')) return [];
	if (!isRead || properties || row) return [];
	// What the contract alone answers has the rows that it shows.
	if (!handlers.has(entry.operation.endpoint.route)) return [];
	// Where each page names the next one, the handler can't be asked by numbers (test/unit/tokens.test.cts).
	if ('paging' in shape && shape.paging === 'tokens') return [];
	const list = {
		entry,
		form: (sandbox: Sandbox) => {
			fillings[keyOf(entry)]?.(sandbox);
			return {};
		},
		keeps: () => true,
		isPaged: shape.kind === 'list' && shape.paging === 'paged',
	};
	if (shape.kind === 'strings') return [{ ...list, items: shape.items ?? '', key: shape.as }];
	if (shape.kind === 'map') return [{ ...list, items: shape.items, key: 'name' }];
	return [{ ...list, items: shape.items ?? 'elements', key: shape.key ?? 'id' }];
});

const listOf = (key: string): List => lists.find(({ entry }) => keyOf(entry) === key)!;

/** The same list as another form asks for it. */
const variant = (key: string, as: string, form: Form, keeps: List['keeps']): List => ({
	...listOf(key),
	...{ as, keeps, form: () => form },
});

const newsletterId = byId('nwl-120');
const variants: List[] = [
	variant(
		'platformPartners.payout.getAll',
		'of one partner',
		{ payoutsOf: 'partner', partnerId: byId('ptn-1') },
		(row) => row.partner_id === 'ptn-1',
	),
	variant(
		'platformContentBox.content.getAll',
		'filtered',
		{ filters: { state: { __rl: true, mode: 'name', value: 'public' } } },
		(row) => row.state === 'public',
	),
	variant(
		'platformNewsletters.recipient.getAll',
		'selected',
		{ newsletterId, output: 'recipients' },
		({ id }, { state }) =>
			state.newsletters.newsletters.get('nwl-120')!.recipients.includes(String(id)),
	),
	{
		...variant(
			'platformCustomers.customer.getAll',
			'found by tag',
			{ filters: { tag: 'vip' } },
			({ tags }) => (tags as string[]).includes('vip'),
		),
		isPaged: false,
	},
];

/** Lists without a row. */
const empties: List[] = (
	[
		[
			'platformWebhooks.webhook.getAll',
			({
				state: {
					webhooks: { webhooks },
				},
			}) => {
				for (const { id } of [...webhooks.rows]) webhooks.remove(id);
				return {};
			},
		],
		['platformContentBox.content.getAll', () => ({ filters: { search: 'no content says this' } })],
		['platformScheduler.event.getAll', () => ({ start: '1999-01-01', end: '1999-12-31' })],
		[
			'platformCustomers.property.getAll',
			({ state }) => {
				const customer = state.customers.customers.rows[7];
				customer.properties = {};
				return { customerId: byId(customer.id) };
			},
		],
		[
			'platformCustomers.usage.getHistory',
			({
				state: {
					subscriptions: { subscriptions },
				},
			}) => {
				const none = subscriptions.rows.find(({ usages }) => usages.length === 0)!;
				return { customerId: byId(none.customerId), subscriptionId: byId(none.id) };
			},
		],
		[
			'platformNewsletters.recipient.getAll',
			() => ({ newsletterId, filters: { search: 'nobody has this name' } }),
		],
	] satisfies Array<[string, List['form']]>
).map(([key, form]) => ({ ...listOf(key), form }));

const at = (value: unknown, place: string): unknown =>
	place
		.split('.')
		.filter(Boolean)
		.reduce((outer, name) => (outer as Row)[name], value);

/** The keys of all rows that the service has, as clients see them. Its handler is asked for page after page of the usual world. */
function heldBy(sandbox: Sandbox, { entry, items, key, keeps }: List, form: Form): string[] {
	const { route } = entry.operation.endpoint;
	const { method, path } = partsOf(route);
	const endpoint = handlers.get(route)!;
	const handle = typeof endpoint === 'function' ? endpoint : endpoint.handle;
	const given = (name: string) => {
		const value = form[name] as string | { value: string };
		return typeof value === 'object' ? value.value : String(value);
	};
	const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
	const call = {
		...{ world: usualWorld, state: sandbox.state, pagingFaults: [] },
		documented: findEndpoint(method, path)!,
		params: Object.fromEntries(names.map((name) => [name, given(name)])),
	};
	const rows = new Map<string, Row>();
	for (let page = 1, before = -1; rows.size > before; page += 1) {
		before = rows.size;
		const query = { start: given('start'), end: given('end'), size: '100', page: String(page) };
		const found = at(handle({ ...call, query } as unknown as Call), items);
		for (const row of Array.isArray(found) ? found : Object.keys(found as object)) {
			const fields = (typeof row === 'string' ? { [key]: row } : row) as Row;
			rows.set(String(fields[key]), fields);
		}
	}
	const kept = [...rows].filter(([, row]) => keeps(row, sandbox));
	return sandbox.shown(kept.map(([value]) => value));
}

/** The form of a list, and what it must bring. */
function asked({ sandbox }: Bench, list: List) {
	const form = { ...ownForm(sandbox, list.entry), ...list.form(sandbox), simplify: false };
	return { form, wanted: heldBy(sandbox, list, form) };
}

/** The keys of what came, and what the user was told. */
async function read(bench: Bench, { entry, key }: List, form: Form) {
	const { node, resource, operation } = entry;
	const name = `${resource.value}.${operation.value}`;
	const { items, error, hints } = await bench.run(node, name, form);
	expectThat(error === undefined, `an error: ${error?.message}`);
	return { keys: items.map(({ json }) => String(json[key])), hints: hints.join(' ') };
}

/** All keys once and none of others; rows may be missing only if the user is told. */
function checkRows(
	{ entry }: List,
	wanted: string[],
	least: number,
	keys: string[],
	hints: string,
) {
	const known = new Set(wanted);
	const foreign = keys.filter((key) => !known.has(key));
	expectThat(foreign.length === 0, `rows of nowhere: ${foreign.slice(0, 3).join(', ')}`);
	// An event that repeats may come once for each time.
	const isUnfolded = keyOf(entry) === 'platformScheduler.event.getAll';
	const distinct = new Set(keys).size;
	expectThat(isUnfolded || distinct === keys.length, `${keys.length - distinct} rows twice`);
	expectThat(distinct >= least || hints !== '', `${distinct} of ${least} rows, and nobody is told`);
}

const titleOf = ({ entry, as = '' }: List) => `${keyOf(entry)} ${as}`.trim();

const all = [...lists, ...variants];

const whole = all.map((list): Check => ({
	name: `list ${titleOf(list)}`,
	async run(bench) {
		const { form, wanted } = asked(bench, list);
		expectThat(wanted.length > 0, 'the service has no row');
		const { keys, hints } = await read(bench, list, { ...form, returnAll: true });
		checkRows(list, wanted, wanted.length, keys, hints);
	},
}));

const limits = all
	.filter(({ isPaged }) => isPaged)
	.map((list): Check => ({
		name: `limit ${titleOf(list)}`,
		async run(bench) {
			const { form, wanted } = asked(bench, list);
			for (const limit of [3, 55]) {
				const { keys, hints } = await read(bench, list, { ...form, returnAll: false, limit });
				expectThat(keys.length <= limit, `${keys.length} rows for a limit of ${limit}`);
				checkRows(list, wanted, Math.min(limit, wanted.length), keys, hints);
			}
		},
	}));

const skips = all
	.filter(({ isPaged }) => isPaged)
	.map((list): Check => ({
		name: `skip ${titleOf(list)}`,
		async run(bench) {
			const { form } = asked(bench, list);
			const whole = await read(bench, list, { ...form, returnAll: true });
			// Where rows are missing, they can't be counted.
			if (whole.hints !== '') return;
			for (const skip of [3, 50, whole.keys.length - 1, whole.keys.length, 1000]) {
				const slice = { ...form, returnAll: false, limit: 20, options: { skip } };
				const { keys } = await read(bench, list, slice);
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
		const { sandbox, world } = bench;
		const form = { ...ownForm(sandbox, list.entry), ...list.form(sandbox), simplify: false };
		// A count of all rows says more than there is to come.
		const isMiscounted = world.searchCount === 'all rows';
		const { keys, hints } = await read(bench, list, form).catch((error: Error) => {
			// A count of rows that are not there is no empty list: what it means isn't known.
			if (isMiscounted && world.emptyLists === 'no key') return { keys: [], hints: '' };
			throw error;
		});
		expectThat(keys.length === 0, `${keys.length} rows of nothing`);
		expectThat(hints === '' || isMiscounted, `a hint about nothing: ${hints}`);
	},
}));

export const listChecks: Check[] = [...whole, ...limits, ...skips, ...nothing];
