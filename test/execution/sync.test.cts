// Create or Update of many records: only what differs is sent, a list that is read once says what is up to date, and a list that
// is wrong costs requests, never a wrong write.
import type { IDataObject } from 'n8n-workflow';
import { bothSides } from '../constants.cts';
import { randomFrom, type Random } from '../sandbox/random.cts';
import { seedsOf, tries } from '../share.cts';
import { told } from './host/host.cts';
import { byId, run } from './host/run.cts';
import { RecordService, type Kept } from './host/recordService.cts';
import { Service } from './host/service.cts';
import { runTools } from './host/tool.cts';

const service = Service.forFile();

const goesOn = { settings: { onError: 'continueRegularOutput' as const } };

const columns = {
	fieldsAs: 'columns',
	columns: { mappingMode: 'autoMapInputData', value: null },
};

const byFields = { fieldsAs: 'fields' };

const customersOf = () => new RecordService('/customers', 'customer', 'externalId', 'external_id');

const upsert = async (
	platform: RecordService,
	items: IDataObject[],
	form: object = {},
	more: object = {},
) => {
	service.behave(platform.answer);
	const all = { ...columns, ...form };
	return await run(service, 'platformCustomers', 'customer.upsert', all as never, {
		items,
		...more,
	});
};

const writes = () => service.received.filter(({ method }) => method !== 'GET');

const isLookup = ({ path }: { path: string }) => path.startsWith('/customers/customer.json');

const isList = ({ path }: { path: string }) => path.startsWith('/customers.json');

/** A record, and a row of the sheet that says the same. */
const record = (n: number) => ({
	externalId: `crm-${n}`,
	email: `c${n}@example.com`,
	company_name: `Company ${n}`,
	address: { country: 'DE', city: `City ${n}`, zip: `${n}` },
	tags: ['old', 'vip'],
	phone: `${n}`,
});

const rowOf = (n: number) => ({
	externalId: `crm-${n}`,
	email: `c${n}@example.com`,
	companyName: `Company ${n}`,
	city: `City ${n}`,
	tags: 'vip',
});

describe('one record', () => {
	const one = async (row: IDataObject, form: object = {}, kept: object = record(1)) => {
		const platform = customersOf();
		platform.add(kept, 'a');
		const { items, error } = await upsert(platform, [row], form);
		const bodies = writes().map(({ body }) => body.customer);
		return { json: items[0]?.json, bodies, error: error && told(error), platform };
	};

	test('that shows all of the row is left alone, and the item has its values', async () => {
		const { json, bodies } = await one(rowOf(1));
		expect(bodies).toEqual([]);
		expect(json).toEqual({
			id: 'a',
			email: 'c1@example.com',
			company_name: 'Company 1',
			country: 'DE',
			city: 'City 1',
			tags: ['old', 'vip'],
			action: 'unchanged',
		});
	});

	test('that differs is sent as before, and the item says in what', async () => {
		const { json, bodies } = await one({ ...rowOf(1), city: 'Bonn', tags: 'new' });
		expect(bodies).toEqual([
			{
				email: 'c1@example.com',
				company_name: 'Company 1',
				address: { country: 'DE', city: 'Bonn', zip: '1' },
				tags: ['old', 'vip', 'new'],
			},
		]);
		expect(json).toMatchObject({
			action: 'updated',
			changes: {
				'address.city': { from: 'City 1', to: 'Bonn' },
				tags: { from: ['old', 'vip'], to: ['old', 'vip', 'new'] },
			},
		});
	});

	test.each<[string, IDataObject, object, object]>([
		['not shown', rowOf(1), {}, { ...record(1), email: undefined }],
		['null', rowOf(1), {}, { ...record(1), email: null }],
		['of another type', { ...rowOf(1), companyName: '5' }, {}, { ...record(1), company_name: 5 }],
		[
			'in another order',
			{ ...rowOf(1), tags: 'vip, old' },
			{ columnOptions: { changeTags: 'replace' } },
			record(1),
		],
		['in another case', { ...rowOf(1), email: 'C1@example.com' }, {}, record(1)],
	])('with a value that is %s is sent', async (_how, row, form, kept) => {
		const { json, bodies, platform } = await one(row, form, kept);
		expect([json.action, bodies.length, platform.needless]).toEqual(['updated', 1, []]);
	});

	test('is sent anyway if the user wants that', async () => {
		const { json, bodies } = await one(rowOf(1), { options: { sendUnchanged: true } });
		expect([json.action, json.changes, bodies.length]).toEqual(['updated', {}, 1]);
	});

	test('long values are cut in the changes, and still told apart; secrets are hidden', async () => {
		const long = 'x'.repeat(500);
		const further = (text: string) => ({
			...{ ...byFields, externalId: 'crm-1' },
			fields: { further: JSON.stringify({ note: text, api_token: 'secret-1' }) },
		});
		const [first, second] = [
			await one({}, further(`${long}a`)),
			await one({}, further(`${long}b`)),
		].map(({ json }) => json.changes as Record<string, { to: string }>);
		expect(first.note.to).toMatch(/^x{120}… \(501 characters, \S{12}\)$/);
		expect(first.note.to).not.toBe(second.note.to);
		expect(JSON.stringify(first)).not.toContain('secret-1');
	});
});

/** The credential of the service, in a dry run. */
const dry = () => ({ credential: { ...service.credential, dryRun: 'on' } });

describe('the plan', () => {
	const sheet = (): [RecordService, IDataObject[]] => {
		const platform = customersOf();
		for (let n = 0; n < 60; n++) platform.add(record(n), `id-${n}`);
		const rows = Array.from({ length: 60 }, (_each, n) => ({ ...rowOf(n + 5), tags: undefined }));
		for (const n of [0, 1, 2]) rows[n].city = 'Bonn';
		rows[1].companyName = 'Another';
		// The same key twice: it would be created once, and then changed.
		rows.push({ ...rowOf(60), tags: undefined, companyName: 'Later' }, { ...rows[0] });
		return [platform, rows as IDataObject[]];
	};

	test('of a dry run tells the truth: what would be created, updated by field, and left', async () => {
		const [platform, rows] = sheet();
		const { items, hints, error } = await upsert(platform, rows, {}, dry());
		expect(error).toBeUndefined();
		expect(writes()).toEqual([]);
		expect(hints[0]).toContain(
			'5 would be created, 4 updated (address.city 3, company_name 2), and 53 are unchanged',
		);
		expect(items[1].json).toMatchObject({
			action: 'updated',
			changes: {
				'address.city': { from: 'City 6', to: 'Bonn' },
				company_name: { from: 'Company 6', to: 'Another' },
			},
		});
		expect(items[59].json).toMatchObject({
			action: 'created',
			changes: { email: { to: 'c64@example.com' }, 'address.city': { to: 'City 64' } },
		});
		expect(items[60].json).toMatchObject({
			action: 'updated',
			changes: { company_name: { from: 'Company 60', to: 'Later' } },
		});
		expect(items[61].json.action).toBe('unchanged');
	});

	test.each([
		[8, 'have 9 changes'],
		[9, undefined],
	])('with Max Changes %i of 9 changes', async (maxTotal, says) => {
		const [platform, rows] = sheet();
		const { error } = await upsert(platform, rows, { safetyLimits: { maxTotal } });
		if (says === undefined) {
			expect(error).toBeUndefined();
			expect(writes()).toHaveLength(9);
			return;
		}
		expect(error && told(error)).toContain(says);
		expect(error && told(error)).toContain(`Max Changes is ${maxTotal} (Safety Limits)`);
		expect(writes()).toEqual([]);
	});

	describe('that was approved', () => {
		const approved = { options: { approvedChanges: '={{ $json.approved }}' } };
		const plan = async (platform: RecordService, rows: IDataObject[]) => {
			const { items } = await upsert(platform, rows, {}, dry());
			return rows.map((row, index) => ({ ...row, approved: items[index].json.changes }));
		};
		const write = async (platform: RecordService, rows: IDataObject[]) =>
			await upsert(platform, rows, { extraColumns: 'ignore', ...approved }, goesOn);

		test.each<[string, (platform: RecordService) => void, string[]]>([
			['written if all is as it was', () => {}, []],
			[
				'refused where the record was changed in between',
				({ records }) => Object.assign(records.get('a') as Kept, { company_name: 'Theirs' }),
				['Now it would change company_name, address.city'],
			],
			[
				'refused where another one has created the record',
				(platform) => void platform.add({ ...record(2), company_name: 'Theirs' }, 'b'),
				['Now it would change company_name'],
			],
		])('is %s', async (_what, change, says) => {
			const platform = customersOf();
			platform.add(record(1), 'a');
			const rows = await plan(platform, [{ ...rowOf(1), city: 'Bonn' }, rowOf(2)]);
			change(platform);
			const { items } = await write(platform, rows);
			const errors = items.flatMap(({ json }) => json.error ?? []);
			expect(errors).toEqual(says.map((text) => expect.stringContaining(text)));
			expect(writes()).toHaveLength(rows.length - says.length);
		});

		test('must be there', async () => {
			const platform = customersOf();
			const { error } = await upsert(platform, [rowOf(1)], approved);
			expect(error && told(error)).toContain('Approved Changes');
			expect(service.received).toEqual([]);
		});
	});
});

describe('both keys', () => {
	test.each<[string, object, IDataObject, object]>([
		[
			'by email, the external ID in a field',
			{ ...byFields, matchBy: 'email', email: 'C1@example.com', externalId: 'crm-new' },
			{},
			{ externalId: 'crm-new' },
		],
		[
			'by email, the external ID in a column',
			{ matchBy: 'email' },
			{ email: 'c1@example.com', externalId: 'crm-new' },
			{ externalId: 'crm-new' },
		],
		[
			'by external ID, the email in a field',
			{ ...byFields, externalId: 'crm-1', email: 'new@example.com' },
			{},
			{ email: 'new@example.com' },
		],
		[
			'by external ID, the email in a column',
			{},
			{ external_id: 'crm-1', email: 'new@example.com' },
			{ email: 'new@example.com' },
		],
	])('%s links the customer that exists', async (_how, form, row, sent) => {
		const platform = customersOf();
		platform.add(record(1), 'a');
		const { items, error } = await upsert(platform, [row], form);
		expect(error).toBeUndefined();
		expect(writes().map(({ method, body }) => [method, body.customer])).toEqual([['PUT', sent]]);
		expect(items[0].json).toMatchObject({ id: 'a', action: 'updated' });
		expect(platform.records.get('a')).toMatchObject(sent);
	});

	test.each([
		[
			{ match_by: 'email', email: 'c1@example.com', external_id: 'crm-new' },
			{ externalId: 'crm-new' },
		],
		[
			{ match_by: 'externalId', external_id: 'crm-1', email: 'new@example.com' },
			{ email: 'new@example.com' },
		],
	])('a tool with %j', async (args, sent) => {
		const platform = customersOf();
		platform.add(record(1), 'a');
		service.behave(platform.answer);
		const tool = 'create_or_update_customer';
		const parameters = { offer: 'chosen', operations: [tool] };
		const call = { node: 'Tool 1', input: { ...args, tool } as IDataObject };
		const toolkit = { node: 'platformApiTool', parameters };
		const [[answer]] = await runTools([toolkit], service.credential, [[call]]);
		expect(JSON.stringify(answer)).toContain('updated');
		expect(writes().map(({ body }) => body.customer)).toEqual([sent]);
	});
});

test.each<[string, string, string, object, object, object]>([
	[
		'tags of a customer',
		'platformCustomers',
		'customer.update',
		{ customerId: byId('a'), updateFields: { tags: 'vip' } },
		{ id: 'a', tags: ['old', 'vip'] },
		{ id: 'a', tags: ['old', 'vip'] },
	],
	[
		'an address',
		'platformCustomers',
		'customer.update',
		{ customerId: byId('a'), updateFields: { address: { city: 'Bonn' } } },
		{ id: 'a', address: { zip: '1', city: 'Bonn' } },
		{ id: 'a', city: 'Bonn' },
	],
	[
		'tags of a partner',
		'platformPartners',
		'partner.update',
		{ partnerId: byId('a'), updateFields: { tags: 'gold' } },
		{ id: 'a', tags: ['gold'] },
		{ id: 'a', tags: ['gold'] },
	],
	[
		'properties',
		'platformCustomers',
		'property.update',
		{ customerId: byId('a'), propertiesAs: 'json', propertiesJson: '{"plan": "gold"}' },
		{ count: 2, elements: { since: '2020', plan: 'gold' } },
		{ id: 'a', properties: { since: '2020', plan: 'gold' } },
	],
	[
		'content',
		'platformContentBox',
		'content.update',
		{ contentId: byId('a'), dataInput: 'json', dataJson: '{"headline": "New"}' },
		{ content: { id: 'a', data: { text: 'T', headline: 'New' } } },
		{ id: 'a', headline: 'New', text: 'T' },
	],
])('an update of %s that changes nothing is not sent', async (...row) => {
	const [, node, operation, form, kept, item] = row;
	service.behave(() => ({ body: kept }));
	const { items, error } = await run(service, node, operation, form as never);
	expect(error).toBeUndefined();
	expect(writes()).toEqual([]);
	expect(items[0].json).toMatchObject({ ...item, action: 'unchanged' });
	service.behave(({ method }) => ({
		body: method === 'GET' ? kept : { id: 'a', name: 'P', updated: true, customer: { id: 'a' } },
	}));
	const options = { options: { sendUnchanged: true } };
	await run(service, node, operation, { ...form, ...options } as never);
	expect(writes()).toHaveLength(1);
});

describe('many records', () => {
	const many = (platform: RecordService, count: number) => {
		for (let n = 0; n < count; n++) platform.add(record(n), `id-${n}`);
	};
	const rows = (count: number, from = 0) =>
		Array.from({ length: count }, (_each, n) => rowOf(from + n));

	bothSides('engine/client/list/ahead MIN_ITEMS', async (number, _isWithin, limit) => {
		const platform = customersOf();
		many(platform, 100);
		await upsert(platform, rows(number));
		expect(service.received.some(isList)).toBe(number >= limit);
		expect(service.received.filter(isLookup)).toHaveLength(number >= limit ? 0 : number);
		expect(writes()).toEqual([]);
	});

	bothSides('engine/client/list/ahead ITEMS_PER_PAGE', async (number, _isWithin, limit) => {
		const platform = customersOf();
		const items = 42;
		const pages = items / number;
		many(platform, pages * 100);
		await upsert(platform, rows(items));
		expect(service.received.filter(isLookup)).toHaveLength(number < limit ? items : 0);
		// After a full last page, one more may be asked for.
		const read = service.received.filter(isList).length;
		expect(read).toBeLessThanOrEqual(number < limit ? 1 : pages + 1);
	});

	bothSides('api/differences SHOWN', async (number, isWithin) => {
		const platform = customersOf();
		const note = 'x'.repeat(number);
		const form = { ...byFields, externalId: 'crm-1', fields: { further: { note } } };
		const { items } = await upsert(platform, [{}], form);
		const { note: shown } = items[0].json.changes as Record<string, { to: string }>;
		expect(shown.to === note).toBe(isWithin);
	});

	bothSides('engine/run/tally NAMED', async (number, isWithin) => {
		const platform = customersOf();
		platform.add(record(1), 'a');
		const names = Array.from({ length: number }, (_each, n) => [`field${n}`, 'x']);
		const further = Object.fromEntries(names) as IDataObject;
		const form = { ...byFields, externalId: 'crm-1', fields: { further } };
		const { hints } = await upsert(platform, [{}], form, dry());
		expect(hints[0].includes('other fields')).toBe(!isWithin);
	});

	test('a list that fails, and one that says nothing of its length', async () => {
		const platform = customersOf();
		many(platform, 150);
		service.behave((request) =>
			isList(request) ? { status: 403, body: { error: 'No' } } : platform.answer(request),
		);
		const items = rows(60);
		const failed = await run(service, 'platformCustomers', 'customer.upsert', columns as never, {
			items,
		});
		expect(failed.error).toBeUndefined();
		expect([service.received.filter(isLookup).length, writes().length]).toEqual([60, 0]);
		service.behave((request) => {
			const reply = platform.answer(request);
			const { elements } = reply.body as { elements?: unknown };
			return elements ? { body: { elements } } : reply;
		});
		await run(service, 'platformCustomers', 'customer.upsert', columns as never, { items });
		expect([service.received.filter(isLookup).length, writes().length]).toEqual([0, 0]);
	});

	test('partners: the list has another name for the code, and the API merges the address', async () => {
		const platform = new RecordService('/partners', 'partner', 'external_id', 'external_id');
		for (let n = 0; n < 40; n++) {
			platform.add(
				{
					...{ external_id: `r-${n}`, name: `P ${n}`, email: `p${n}@example.com`, code: `C${n}` },
					address: { country: 'DE', city: 'Bonn', vat_number: 'X' },
				},
				`p-${n}`,
			);
		}
		platform.listed = ({ code, ...row }) => ({ ...row, partner_code: code });
		service.behave(platform.answer);
		const items = Array.from({ length: 40 }, (_each, n) => ({
			...{ externalId: `r-${n}`, name: `P ${n}`, email: `p${n}@example.com`, code: `C${n}` },
			country: 'DE',
		}));
		const result = await run(service, 'platformPartners', 'partner.upsert', columns as never, {
			items,
		});
		expect(new Set(result.items.map(({ json }) => json.action))).toEqual(new Set(['unchanged']));
		expect(service.received).toHaveLength(1);
	});
});

/** A drawn world: what is kept, the rows of a sheet, and what each key must have afterwards. */
interface Drawn {
	platform: RecordService;
	sheet: IDataObject[];
	/** Fields that another writer has changed. */
	writer: Map<string, object>;
	refused: Set<string>;
}

function draw(random: Random, count: number): Drawn {
	const platform = customersOf();
	const sheet: IDataObject[] = [];
	const writer = new Map<string, object>();
	const refused = new Set<string>();
	const lacking = new Set<string>();
	const cut = new Set<string>();
	const meanwhile: Array<{ at: number; run: () => void }> = [];
	for (let n = 0; sheet.length < count; n++) {
		const row: IDataObject = rowOf(n);
		const id = `id-${n}`;
		const isNew = random.chance(0.05);
		if (!isNew) platform.add(record(n), id);
		if (!isNew && random.chance(0.1)) continue;
		if (random.chance(0.1)) row.companyName = `Another ${n}`;
		if (random.chance(0.05)) row.city = `Elsewhere ${n}`;
		if (random.chance(0.05)) row.tags = 'new, vip';
		sheet.push(row);
		if (random.chance(0.05)) sheet.push({ ...row });
		if (random.chance(0.05)) sheet.push({ ...row, companyName: `Later ${n}` });
		if (isNew && random.chance(0.3)) {
			// Another writer is quicker, at any time.
			meanwhile.push({
				at: random.int(1, count / 5),
				run: () => {
					if (platform.with(row.externalId).length === 0) platform.add(record(n), id);
				},
			});
		}
		if (isNew) continue;
		if (random.chance(0.05)) lacking.add(id);
		if (random.chance(0.05)) cut.add(id);
		if (random.chance(0.01)) {
			platform.add({ ...record(n), email: `second${n}@example.com` }, `${id}-second`);
			refused.add(`crm-${n}`);
		}
		if (random.chance(0.1)) {
			const changes = { phone: `changed ${n}`, language: 'it' };
			writer.set(id, changes);
			meanwhile.push({
				at: random.int(1, count / 5),
				run: () => Object.assign(platform.records.get(id) as Kept, changes),
			});
		}
	}
	platform.listed = (row) => {
		if (lacking.has(row.id)) return undefined;
		if (!cut.has(row.id)) return row;
		const { address: _address, company_name: _name, ...rest } = row;
		return rest;
	};
	platform.meanwhile = (number) => {
		for (const { run: write } of meanwhile.filter(({ at }) => at === number)) write();
	};
	for (let last = sheet.length - 1; last > 0; last--) {
		const other = random.int(0, last);
		[sheet[last], sheet[other]] = [sheet[other], sheet[last]];
	}
	return { platform, sheet, writer, refused };
}

test('by email, a record that has got another email since the list was read is not written', async () => {
	const platform = customersOf();
	platform.add(record(1), 'a');
	platform.meanwhile = (_count, { path }) => {
		// The customer changes hands, and another one takes the email.
		if (!path.startsWith('/customers/a')) return;
		Object.assign(platform.records.get('a') as Kept, { email: 'other@example.com' });
		if (!platform.records.has('b')) platform.add({ email: 'c1@example.com' }, 'b');
	};
	const form = { matchBy: 'email', email: 'c1@example.com', fields: { companyName: 'New' } };
	service.behave(platform.answer);
	const { error } = await run(service, 'platformCustomers', 'customer.upsert', form);
	expect(error).toBeUndefined();
	expect(platform.records.get('a')).toMatchObject({ company_name: 'Company 1' });
	expect(platform.records.get('b')).toMatchObject({ company_name: 'New' });
});

test.each(seedsOf(1, 4))(
	'drawn world %i: the platform has what the sheet says, nothing else was touched or sent',
	async (seed) => {
		const { platform, sheet, writer, refused } = draw(randomFrom(seed), tries(500, 3_000));
		const before = new Map([...platform.records].map(([id, kept]) => [id, structuredClone(kept)]));
		const { items } = await upsert(platform, sheet, {}, goesOn);
		const keys = new Set(sheet.map(({ externalId }) => String(externalId)));
		const errors = items.filter(({ json }) => json.error !== undefined);
		const failed = errors.map(({ pairedItem }) => {
			const { item } = pairedItem as { item: number };
			return String(sheet[item].externalId);
		});
		const two = [...refused].filter((key) => keys.has(key));
		expect([...new Set(failed)].sort()).toEqual(two.sort());
		expect(platform.needless).toEqual([]);
		for (const [id, kept] of platform.records) {
			const key = String(kept.externalId);
			const was = before.get(id);
			const others = writer.get(id) ?? {};
			if (!keys.has(key) || refused.has(key)) {
				expect(kept).toEqual({ ...was, ...others });
				continue;
			}
			const last = sheet.findLast(({ externalId }) => externalId === key) as IDataObject;
			const tags = new Set(was ? ['old', 'vip'] : (kept.tags as string[]));
			for (const row of sheet.filter(({ externalId }) => externalId === key)) {
				for (const tag of String(row.tags).split(', ')) tags.add(tag);
			}
			expect(kept).toMatchObject({
				...(was && { phone: was.phone, ...others }),
				email: last.email,
				company_name: last.companyName,
				address: { city: last.city, ...(was && { zip: (was.address as IDataObject).zip }) },
			});
			expect(new Set(kept.tags as string[])).toEqual(tags);
		}
		for (const key of keys) {
			if (!refused.has(key)) expect(platform.with(key)).toHaveLength(1);
		}
	},
	120_000,
);
