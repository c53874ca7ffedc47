// What reads a record, merges and writes it, several at once: by executions, by the items of one, and by several operations
// that name the record in different ways. The service replaces whatever it's sent, so only turns lose nothing.
import { randomFrom } from '../sandbox/random.cts';
import { onlyReads, table } from '../table/operations.cts';
import { wait } from '../wait.cts';
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

const each = [0, 1, 2, 3, 4, 5];

type Data = Record<string, unknown>;

/** A record by its path, and the lookups that find it. */
interface Kept {
	record: Data;
	path: string;
	lookups?: string[];
	/** Key of the record in the body of a write. */
	root: string;
	/** Key of the record by its name in a write, or that of the whole write. */
	names?: Record<string, string>;
}

/** Keeps one record. Reads and writes take some time after their moment. */
function keep({ record, path, lookups = [], root, names = {} }: Kept): void {
	const { next } = randomFrom(path.length);
	service.behave(async (request) => {
		const where = request.path.split('?')[0];
		if (request.method === 'PUT' && where === path) {
			const isWhole = names[root] !== undefined;
			const changes = Object.entries(isWhole ? request.body : (request.body[root] as Data));
			for (const [name, value] of changes) record[names[name] ?? name] = value;
		}
		const isList = where === '/customers.json';
		const body = isList ? { count: 1, elements: [{ ...record }] } : { ...record };
		await wait(next() * 15);
		if (request.method === 'PUT')
			return {
				body: { id: record.id, updated: true, saved_recipients: 1, [root]: { id: record.id } },
			};
		return where === path || lookups.includes(where) ? { body } : { status: 404, body: {} };
	});
}

const CUSTOMER = { id: 'cus-1', externalId: 'crm-1', email: 'ada@example.com' };

const customer = (more: Data): Kept => ({
	record: { ...CUSTOMER, ...more },
	path: '/customers/cus-1.json',
	lookups: ['/customers/customer.json', '/customers.json'],
	root: 'customer',
});

const tagged = () => customer({ tags: ['old'] });
/** The name that an item adds. */
const ADDED = 'tag-{{ $json.n }}';
/** The address of an item, which has one part. */
const PART = Object.fromEntries(
	Object.entries({ street: 'A 1', city: 'Bonn', country: 'DE' }).map(([name, value], index) => [
		name,
		`={{ $json.n % 3 === ${index} ? '${value}' : null }}`,
	]),
);
const addressed = () => customer({ address: {} });
const byExternalId = { externalId: CUSTOMER.externalId };
const byEmail = { matchBy: 'email', email: CUSTOMER.email };
const found = { customerId: byId('cus-1') };

const automatic = {
	fieldsAs: 'columns',
	columns: { mappingMode: 'autoMapInputData', value: null },
	extraColumns: 'ignore',
};

type Scene = [what: string, node: string, operation: string, kept: () => Kept, form: object];

const scenes: Scene[] = [
	...[
		['an update', 'customer.update', 'updateFields', found] as const,
		['Create or Update by external ID', 'customer.upsert', 'fields', byExternalId] as const,
		['Create or Update by email', 'customer.upsert', 'fields', byEmail] as const,
	].flatMap(([who, operation, fields, form]): Scene[] => {
		const of = (what: string, kept: () => Kept, changes: object): Scene => [
			`${who} of ${what}`,
			'platformCustomers',
			operation,
			kept,
			{ ...form, [fields]: changes },
		];
		return [
			of('tags', tagged, { tags: `=${ADDED}` }),
			of('an address', addressed, { address: PART }),
		];
	}),
	[
		'tags of a partner',
		'platformPartners',
		'partner.update',
		() => ({ record: { id: 'p', tags: ['old'] }, path: '/partners/p.json', root: 'partner' }),
		{ partnerId: byId('p'), updateFields: { tags: `=${ADDED}` } },
	],
	[
		'properties',
		'platformCustomers',
		'property.update',
		() => ({
			record: { id: 'cus-1', elements: { old: '1' } },
			path: '/customers/cus-1/properties.json',
			root: 'CustomerProperties',
			names: { CustomerProperties: 'elements' },
		}),
		{ ...found, propertiesAs: 'json', propertiesJson: `={"${ADDED}": "1"}` },
	],
	[
		'data of a content entry',
		'platformContentBox',
		'content.update',
		() => ({
			record: { id: 'c', data: { old: '1' } },
			path: '/contentbox/contents/c.json',
			root: 'content',
		}),
		{ contentId: byId('c'), dataInput: 'json', dataJson: `={"${ADDED}": "1"}` },
	],
	[
		'recipients',
		'platformNewsletters',
		'recipient.set',
		() => ({
			record: { id: 'n', selected_ids: ['old'] },
			path: '/newsletters/n/recipients.json',
			root: 'newsletter',
			names: { contact_ids: 'selected_ids' },
		}),
		{
			newsletterId: byId('n'),
			changeRecipients: 'add',
			customersAs: 'ids',
			contactIds: `=${ADDED}`,
		},
	],
];

/** What the record has in the end. */
function contentOf({ record }: Kept): unknown {
	const { tags, address, elements, data, selected_ids: ids } = record;
	const content = tags ?? ids ?? address ?? elements ?? data;
	return Array.isArray(content) ? [...content].sort() : content;
}

/** What it must have then. */
function wholeOf({ record }: Kept): unknown {
	if (record.address) return { address: 'A 1', city: 'Bonn', country: 'DE' };
	const names = ['old', ...each.map((n) => `tag-${n}`)];
	if (record.tags ?? record.selected_ids) return names.sort();
	return Object.fromEntries(names.map((name) => [name, '1']));
}

/** What is changed by the items of one execution, and by others beside it. */
const executions = [[0, 1, 2], [3], [4], [5]];

test.each(scenes)('%s: none is lost', async (_what, node, operation, keptOf, form) => {
	const kept = keptOf();
	keep(kept);
	const all = executions.map(async (numbers) => {
		const items = numbers.map((n) => ({ n }));
		return await run(service, node, operation, form as never, { items });
	});
	const errors = (await Promise.all(all)).map(({ error }) => error?.message);
	expect(errors).toEqual(executions.map(() => undefined));
	expect(contentOf(kept)).toEqual(wholeOf(kept));
});

test('one record by all ways that name it: none is lost', async () => {
	const kept = tagged();
	const ways = [
		['customer.update', { ...found, updateFields: { tags: '={{ $json.tags }}' } }],
		['customer.upsert', { ...byExternalId, fields: { tags: '={{ $json.tags }}' } }],
		['customer.upsert', { ...byEmail, fields: { tags: '={{ $json.tags }}' } }],
		['customer.update', { ...found, ...automatic }],
		['customer.upsert', { matchBy: 'externalId', ...automatic }],
	] as const;
	for (let round = 0; round < 3; round++) {
		kept.record.tags = ['old'];
		keep(kept);
		const all = each.map(async (n) => {
			const [operation, form] = ways[(n + round) % ways.length];
			const items = [{ ...CUSTOMER, tags: `tag-${n}` }];
			return await run(service, 'platformCustomers', operation, form as never, { items });
		});
		const errors = (await Promise.all(all)).map(({ error }) => error?.message);
		expect(errors).toEqual(each.map(() => undefined));
		expect(contentOf(kept)).toEqual(wholeOf(kept));
	}
});

test('all operations that read before they change a record are tried', () => {
	const readFirst = table.filter(({ operation }) => {
		const changes = operation.endpoint.method === 'PUT' || operation.value === 'upsert';
		return changes && (operation.also ?? []).some((route) => route.startsWith('GET'));
	});
	const all = readFirst
		.filter(({ operation }) => !onlyReads(operation.endpoint.route))
		.map(({ resource, operation }) => `${resource.value}.${operation.value}`);
	// They merge nothing.
	const others = ['partner.upsert', 'document.replaceSource'];
	const tried = new Set([...scenes.map(([, , operation]) => operation), ...others]);
	expect(all.filter((each) => !tried.has(each))).toEqual([]);
});
