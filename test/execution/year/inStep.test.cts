// What the examples promise that keep two sides in step: both ways with a CRM, and by a plan that a person approves.
import type { IDataObject } from 'n8n-workflow';
import { startMailServer, type MailServer } from '../../n8n/mailServer.cts';
import { randomFrom, type Random } from '../../sandbox/random.cts';
import { seedsOf, tries } from '../../share.cts';
import { Example, type Ran } from '../host/example.cts';
import { Poller } from '../host/poller.cts';
import { sandboxFor } from '../host/run.cts';
import { noneTwice, type World } from './scenes.cts';
import { overAYear } from './overAYear.cts';

const TABLE = 'crm-customers';
const COLUMNS = ['externalId', 'email', 'companyName', 'city', 'synced'];
const FIELDS = COLUMNS.slice(1, 4);

const customersOf = ({ sandbox }: Pick<World, 'sandbox'>) => sandbox.state.customers.customers;

/** The customers of the platform by their external ID, with the fields that are kept in step. */
const platformSide = (world: Pick<World, 'sandbox'>) =>
	new Map(
		customersOf(world).rows.flatMap(({ externalId, email, company_name, address }) =>
			externalId
				? [[externalId, { email, companyName: company_name, city: address?.city ?? '' }]]
				: [],
		),
	);

const crmSide = ({ example }: Pick<World, 'example'>) =>
	new Map(
		example.tables
			.rows(TABLE)
			.map((row) => [
				String(row.externalId),
				Object.fromEntries(FIELDS.map((name) => [name, row[name] ?? ''])),
			]),
	);

const sorted = (side: Map<string, unknown>) =>
	[...side].sort(([one], [other]) => (one < other ? -1 : 1));

const writes = ({ sandbox }: Pick<World, 'sandbox'>) =>
	sandbox.requests.filter(({ method }) => method !== 'GET');

const ROWS = [0, 1, 2];

/** Customers of the CRM, in a month: new ones, which have another city each month. */
function changeCrm(world: World, month: number): void {
	const { tables } = world.example;
	if (tables.rows(TABLE).length === 0) tables.create(TABLE, COLUMNS);
	for (const row of ROWS) {
		const externalId = `new-${row}`;
		const known = tables.rows(TABLE).find((each) => each.externalId === externalId);
		const city = `City ${month}`;
		if (known) Object.assign(known, { city });
		else {
			const rest = { email: `new.${row}@example.com`, companyName: `Company ${row}` };
			tables.insert(TABLE, { externalId, ...rest, city });
		}
	}
}

const SHEET = (world: World, month: number) => [
	...customersOf(world)
		.rows.filter(({ externalId }) => externalId?.startsWith('crm-'))
		.slice(0, 3)
		.map(({ externalId }) => ({ externalId, companyName: `Company ${month}`, city: 'Köln' })),
	...ROWS.map((row) => ({
		externalId: `sheet-${row}`,
		email: `sheet.${row}@example.com`,
		companyName: `Company ${month}`,
		city: 'Bonn',
	})),
];

overAYear([
	{
		file: '30-keep-a-crm-in-step.json',
		occasion: (world, month) => {
			changeCrm(world, month);
			return { 'Each 15 minutes': [{}] };
		},
		goesOn: true,
		never: {
			'A customer of the CRM is one customer': (world) =>
				noneTwice(customersOf(world).rows.flatMap(({ externalId }) => externalId ?? [])),
			'A row of the CRM is one row': ({ example }) =>
				noneTwice(example.tables.rows(TABLE).map(({ externalId }) => externalId)),
		},
		holds: {
			'Both sides have the same': (world) => {
				const platform = platformSide(world);
				for (const [id, row] of crmSide(world)) expect([id, platform.get(id)]).toEqual([id, row]);
			},
		},
	},
	{
		file: '31-approve-the-plan.json',
		occasion: (world, month) => ({
			'Execute workflow': [{}],
			Rows: SHEET(world, month),
			Ask: [{ data: { approved: true } }],
		}),
		goesOn: true,
		columns: { node: 'Rows', names: ['companyName'] },
		never: {
			'A row is one customer': (world) =>
				noneTwice(customersOf(world).rows.flatMap(({ externalId }) => externalId ?? [])),
			'Nobody else is changed': (world) => {
				const changed = customersOf(world).rows.filter(({ company_name }) =>
					company_name?.startsWith('Company '),
				);
				for (const { externalId } of changed) expect(externalId).toMatch(/^(crm|sheet)-\d$/);
			},
		},
		holds: {
			'The platform has what the sheet says': (world) => {
				const platform = platformSide(world);
				for (const { externalId, ...row } of SHEET(world, world.occasions.at(-1)!)) {
					expect([externalId, platform.get(externalId!)]).toEqual([
						externalId,
						expect.objectContaining(row),
					]);
				}
			},
			'All that was planned is written': (world) =>
				expect(world.runs.at(-1)!.rows('Look again')).toEqual([]),
		},
	},
]);

const sandbox = sandboxFor({ customers: 110 }, 'real');
let mailServer: MailServer;

beforeAll(async () => void (mailServer = await startMailServer()));
afterAll(async () => await mailServer.close());

beforeEach(() => {
	sandbox().reset();
	sandbox().clearRequests();
});

/** A value of a side by the field's name. */
type Side = Map<string, Record<string, string>>;

/** Changes a customer of the platform, or adds one. */
function setOnPlatform(id: string, fields: Record<string, string>): void {
	const { customers } = sandbox().state.customers;
	const known = customers.rows.find(({ externalId }) => externalId === id);
	const { email, companyName, city } = fields;
	const address = city === undefined ? known?.address : { ...known?.address, city };
	const change = {
		...(email !== undefined && { email }),
		...(companyName !== undefined && { company_name: companyName }),
		...(address && { address }),
	};
	if (known) customers.update(known.id, change);
	else {
		const empty = { tags: [], partner: null, properties: {}, subscriptions: [], further: {} };
		customers.add({ ...empty, id: `cus-${id}`, externalId: id, ...change });
	}
}

function setInCrm(example: Example, id: string, fields: Record<string, string>): void {
	const known = example.tables.rows(TABLE).find(({ externalId }) => externalId === id);
	if (known) Object.assign(known, fields);
	else example.tables.insert(TABLE, { externalId: id, ...fields });
}

describe('both ways', () => {
	const world = () => {
		const example = new Example('30-keep-a-crm-in-step.json', sandbox, () => mailServer);
		example.node('Customers so far').parameters.limit = 110;
		return { sandbox: sandbox(), example };
	};

	/** Draws what a side changes in a round. */
	const drawn = (random: Random, ids: string[], side: string, round: number): Side => {
		const changes: Side = new Map();
		for (let count = random.int(0, 8); count > 0; count--) {
			const id = random.pick(ids);
			const name = random.pick(FIELDS);
			const value = `${side} ${round} ${count}`;
			const text = name === 'email' ? `${value.replaceAll(' ', '.')}@example.com` : value;
			changes.set(id, { ...changes.get(id), [name]: text });
		}
		return changes;
	};

	test.each(seedsOf(1, 2))(
		'many records, changes on both sides for some rounds, then at rest (%i)',
		async (seed) => {
			const random = randomFrom(seed);
			const { example } = world();
			const pollers = ['Customer changed', 'New customer'].map(
				(name) => [name, new Poller(sandbox(), example.node(name).parameters)] as const,
			);
			const run = async (given: Record<string, IDataObject[]>): Promise<Ran> => {
				const ran = await example.run(given);
				expect(ran.error).toBeUndefined();
				expect(ran.rows('Next time')).toEqual([]);
				return ran;
			};
			const fromPlatform = async () => {
				for (const [name, poller] of pollers) {
					const items = (await poller.poll()) ?? [];
					if (items.length > 0) await run({ [name]: items });
				}
			};
			const fromCrm = async () => await run({ 'Each 15 minutes': [{}] });

			await run({ 'Execute workflow': [{}] });
			expect(writes(world())).toEqual([]);
			expect(sorted(crmSide({ example }))).toEqual(sorted(platformSide(world())));
			// Publishing only saves the current state.
			await fromPlatform();

			const expected: Side = new Map(
				[...platformSide(world())].map(([id, fields]) => [id, { ...fields } as never]),
			);
			for (let round = 1; round <= tries(3, 20); round++) {
				const ids = [...expected.keys()];
				const platform = drawn(random, ids, 'Platform', round);
				const crm = drawn(random, ids, 'CRM', round);
				// Both have changed the same field, and another one.
				const both = random.pick(ids);
				platform.set(both, { ...platform.get(both), companyName: `Platform ${round}` });
				crm.set(both, { ...crm.get(both), companyName: `CRM ${round}` });
				const rest = { companyName: 'New', city: 'Bonn' };
				platform.set(`p-${round}`, { email: `p.${round}@example.com`, ...rest });
				crm.set(`c-${round}`, { email: `c.${round}@example.com`, ...rest });
				for (const [id, fields] of platform) setOnPlatform(id, fields);
				for (const [id, fields] of crm) setInCrm(example, id, fields);
				for (const [id, fields] of [...platform, ...crm]) {
					expected.set(id, { ...expected.get(id), ...fields });
				}
				const ways = random.chance(0.5) ? [fromPlatform, fromCrm] : [fromCrm, fromPlatform];
				for (const way of ways) await way();
				expect(sorted(platformSide(world()))).toEqual(sorted(expected));
				expect(sorted(crmSide({ example }))).toEqual(sorted(expected));
			}

			const before = example.tables.writes;
			sandbox().clearRequests();
			for (let round = 0; round < 3; round++) {
				await fromPlatform();
				await fromCrm();
			}
			expect(writes(world())).toEqual([]);
			expect(example.tables.writes).toBe(before);
		},
		120_000,
	);

	test('a customer who changes at the moment of the write is left as it is, and comes with the next run', async () => {
		const { example } = world();
		await example.run({ 'Execute workflow': [{}] });
		setInCrm(example, 'crm-1', { companyName: 'Of the CRM' });
		setInCrm(example, 'crm-2', { companyName: 'Of the CRM' });
		example.meanwhile = (node) => {
			if (node === 'What differs') setOnPlatform('crm-1', { companyName: 'Of another' });
		};
		const first = await example.run({ 'Each 15 minutes': [{}] });
		expect(first.rows('Next time')).toEqual([
			{ externalId: 'crm-1', reason: expect.stringContaining('Approved Changes') },
		]);
		const names = () => ['crm-1', 'crm-2'].map((id) => platformSide(world()).get(id)?.companyName);
		expect(names()).toEqual(['Of another', 'Of the CRM']);
		example.meanwhile = () => {};
		await example.run({ 'Each 15 minutes': [{}] });
		expect(names()).toEqual(['Of the CRM', 'Of the CRM']);
	});

	test('a customer who was deleted on the platform is not created anew', async () => {
		const { example } = world();
		await example.run({ 'Execute workflow': [{}] });
		const { customers } = sandbox().state.customers;
		customers.remove(customers.rows.find(({ externalId }) => externalId === 'crm-1')!.id);
		setInCrm(example, 'crm-1', { companyName: 'Changed' });
		const { error } = await example.run({ 'Each 15 minutes': [{}] });
		expect(error).toBeUndefined();
		expect(writes(world())).toEqual([]);
	});
});

describe('the plan that was approved', () => {
	const rows = () => SHEET({ sandbox: sandbox() } as World, 1) as IDataObject[];

	const runWith = async (approved: boolean, meanwhile: () => void = () => {}) => {
		const example = new Example('31-approve-the-plan.json', sandbox, () => mailServer);
		example.meanwhile = (node) => {
			if (node === 'Ask') meanwhile();
		};
		const Ask = [{ data: { approved } }];
		return await example.run({ 'Execute workflow': [{}], Rows: rows(), Ask });
	};

	test('is not written if it was refused', async () => {
		const ran = await runWith(false);
		expect(ran.error).toBeUndefined();
		expect(writes({ sandbox: sandbox() })).toEqual([]);
	});

	test('is refused for those that the difference is another one for by then', async () => {
		const ran = await runWith(true, () => {
			setOnPlatform('crm-1', { companyName: 'Theirs' });
			setOnPlatform('sheet-1', { email: 'sheet.1@example.com', companyName: 'Theirs' });
			// What isn't in the plan doesn't matter.
			setOnPlatform('crm-2', { email: 'theirs@example.com' });
		});
		expect(ran.error).toBeUndefined();
		expect(ran.rows('Look again')).toEqual(
			['crm-1', 'sheet-1'].map((customer) => ({
				customer,
				reason: expect.stringContaining('other ones by now'),
			})),
		);
		expect(writes({ sandbox: sandbox() })).toHaveLength(4);
		const side = platformSide({ sandbox: sandbox() });
		expect(['crm-1', 'crm-2', 'sheet-1'].map((id) => side.get(id)?.companyName)).toEqual([
			'Theirs',
			'Company 1',
			'Theirs',
		]);
	});

	test('is refused as a whole if it changes more than a person reads', async () => {
		const many = Array.from({ length: 51 }, (_each, n) => ({
			externalId: `crm-${n + 1}`,
			companyName: 'Shifted',
		}));
		const example = new Example('31-approve-the-plan.json', sandbox, () => mailServer);
		const given = { 'Execute workflow': [{}], Rows: many, Ask: [{ data: { approved: true } }] };
		const { error } = await example.run(given);
		expect(error).toContain('51 changes');
		expect(writes({ sandbox: sandbox() })).toEqual([]);
	});
});
