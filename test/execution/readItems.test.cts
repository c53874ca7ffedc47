// Items of every operation carry the IDs of their path: 50 rows of a sheet have a column for the partner that they belong to.
import { pathParameters } from '../table/api.cts';
import { existingForm, inOrder } from '../table/existing.cts';
import { table, type TableEntry } from '../table/operations.cts';
import { previewOf } from '../../tools/previews.cts';
import { byId, run, sandboxFor } from './host/run.cts';
import { Service } from './host/service.cts';
import { useTools } from './host/tool.cts';

/** Names of the IDs of a path in the output, by their parameters. */
const nameOf = (parameter: string) =>
	({ externalUserId: 'external_id', fromCurrency: 'from', toCurrency: 'to' })[parameter] ??
	parameter.replace(/[A-Z]/g, '_$&').toLowerCase();

const entries = inOrder(
	table.filter(({ operation }) => pathParameters(operation.endpoint.route).length > 0),
);

const nameAndTitle = (entry: TableEntry) => [entry.title, entry] as const;

describe('each item has the IDs of its path', () => {
	const sandbox = sandboxFor({ customers: 20 });

	test.each(entries.map(nameAndTitle))('%s', async (_title, entry) => {
		const { node, resource, operation } = entry;
		const form = existingForm(sandbox(), entry) as object;
		const name = `${resource.value}.${operation.value}`;
		const { items, error } = await run(sandbox(), node, name, { ...form });
		expect(error?.message).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		// The path of its own endpoint, not of one that it reads first.
		const template = operation.endpoint.route.split(' ')[1];
		const pattern = template
			.replace(/[.]/g, '\\.')
			.replace(/\{(\w+)\}/g, (_all, parameter) => `(?<${parameter}>[^/]+?)`);
		const path = sandbox().requests.map((each) =>
			new RegExp(`^${pattern}$`).exec(each.path.split('?')[0]),
		);
		const ids = Object.entries(path.findLast((found) => found !== null)?.groups ?? {});
		expect(ids.length).toBeGreaterThan(0);
		const [last] = ids.at(-1) ?? [];
		// The reference shows no field of some responses, so they have no preview.
		const shown = Object.keys(previewOf(entry)?.properties ?? {});
		for (const { json } of items) {
			for (const [parameter, id] of ids) {
				// A record has its own ID as `id`.
				const own = parameter === last && json.id !== undefined ? [json.id] : [];
				const known = [json[nameOf(parameter)], ...own].map(String);
				const isOwnWithout = parameter === last && template.endsWith(`{${parameter}}.json`);
				if (!isOwnWithout) expect(known).toContain(decodeURIComponent(id));
				const isShown = shown.length > 0 && json[nameOf(parameter)] !== undefined;
				if (isShown) expect(shown).toContain(nameOf(parameter));
			}
		}
	});
});

describe('the IDs of a path', () => {
	const service = Service.forFile();
	const partner = { partnerId: byId('ptn-1') };

	const rowsOf = async (operation: string, body: object, form: object = {}) => {
		service.behave(() => ({ body }));
		const all = { ...partner, ...form };
		const { items, error } = await run(service, 'platformPartners', operation, all);
		expect(error?.message).toBeUndefined();
		return items.map(({ json }) => json);
	};

	test('are in a record, in rows of a list and in a file', async () => {
		expect(await rowsOf('partner.getStats', { currency: 'EUR' })).toEqual([
			{ currency: 'EUR', partner_id: 'ptn-1' },
		]);
		const elements = [{ id: 'c1' }, { id: 'ptn-1' }];
		expect(await rowsOf('partner.getCustomers', { elements })).toEqual(
			elements.map(({ id }) => ({ id, partner_id: 'ptn-1' })),
		);
		service.behave(() => ({ body: '%PDF', headers: { 'content-type': 'application/pdf' } }));
		const form = { ...partner, payoutId: byId('pay-1') };
		const { items } = await run(service, 'platformPartners', 'payout.downloadReport', form);
		expect(items[0].json).toMatchObject({ partner_id: 'ptn-1', payout_id: 'pay-1' });
	});

	test('replace no field that is there', async () => {
		const elements = [
			{ id: 'f1', partner_id: 'other' },
			{ id: 'f2', partner_id: null },
		];
		expect(await rowsOf('fee.getAll', { elements })).toEqual(elements);
	});

	test('can be chosen as Output Fields', async () => {
		const options = { outputFields: 'partner_id' };
		expect(await rowsOf('partner.getCustomers', { elements: [{ id: 'c1' }] }, { options })).toEqual(
			[{ partner_id: 'ptn-1' }],
		);
	});

	test("aren't in raw data", async () => {
		service.behave(() => ({ body: { elements: [{ id: 's1', status: 'active' }] } }));
		const form = { customerId: byId('c1'), simplify: false };
		const { items } = await run(service, 'platformCustomers', 'subscription.getAll', form);
		expect(items[0].json).toEqual({ id: 's1', status: 'active' });
	});

	test("aren't told to a model, which gave them", async () => {
		service.behave(() => ({ body: { currency: 'EUR' } }));
		const parameters = { resource: 'partner', operation: 'getStats', ...partner };
		const tools = [{ node: 'platformPartners', parameters }];
		await useTools(tools, service.credential, async ({ Tool_1: tool }) => {
			expect(JSON.parse(await tool.invoke({}))).toEqual([{ currency: 'EUR' }]);
		});
	});
});
