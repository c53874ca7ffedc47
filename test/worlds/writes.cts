// What writes do to the service: what was asked, or nothing and an error that says so. Create or
// Update, clearing, refusals, money.
import { createHash } from 'node:crypto';
import { byId } from '../execution/host/run.cts';
import type { Sandbox } from '../sandbox/index.cts';
import { told } from '../execution/host/host.cts';
import { type Bench, type Check, expectThat } from './bench.cts';

const customers = ({ state }: Sandbox) => state.customers.customers;
const partners = ({ state }: Sandbox) => state.partners.partners;

let serial = 0;
const fresh = (name: string) => `${name}-${++serial}`;

/** A write that is to go well, and what the state then shows. */
function write(
	name: string,
	act: (
		bench: Bench,
	) => Promise<{ holds: () => boolean; node: string; operation: string; form: object }>,
): Check {
	return {
		name: `write ${name}`,
		async run(bench) {
			const { holds, node, operation, form } = await act(bench);
			const { items, error } = await bench.run(node, operation, form as Record<string, unknown>);
			expectThat(error === undefined, `an error: ${error?.message}`);
			expectThat(items.length === 1, `${items.length} items`);
			expectThat(holds(), 'the service does not hold what was sent');
		},
	};
}

const writes: Check[] = [
	write('customer.update keeps tags and the rest of the address', async ({ sandbox }) => {
		const { id, ...before } = customers(sandbox).rows.filter(({ address }) => address?.country)[5];
		const { tags, address } = structuredClone(before);
		return {
			node: 'platformCustomers',
			operation: 'customer.update',
			form: { customerId: byId(id), updateFields: { tags: 'new', address: { city: 'Bonn' } } },
			holds: () => {
				const after = customers(sandbox).get(id);
				return (
					JSON.stringify(after?.tags) === JSON.stringify([...new Set([...tags, 'new'])]) &&
					after?.address?.city === 'Bonn' &&
					after.address.country === address?.country
				);
			},
		};
	}),
	write('content.update keeps the other data of the entry', async ({ sandbox }) => {
		const { contents } = sandbox.state.contentBox;
		const { id, data } = contents.rows[2];
		const before = structuredClone(data);
		return {
			node: 'platformContentBox',
			operation: 'content.update',
			form: { contentId: byId(id), dataInput: 'json', dataJson: '{"teaser": "New"}' },
			holds: () => {
				const after = contents.get(id)?.data;
				return JSON.stringify({ ...after }) === JSON.stringify({ ...before, teaser: 'New' });
			},
		};
	}),
	write('partner.update clears its group', async ({ sandbox }) => {
		const { id } = partners(sandbox).rows.filter((one) => one.partner_group_id)[0];
		return {
			node: 'platformPartners',
			operation: 'partner.update',
			form: { partnerId: byId(id), updateFields: { partnerGroupId: '' } },
			holds: () => partners(sandbox).get(id)?.partner_group_id === undefined,
		};
	}),
	write('partner.update leaves alone what is not named', async ({ sandbox }) => {
		const { id, ...before } = partners(sandbox).rows[3];
		return {
			node: 'platformPartners',
			operation: 'partner.update',
			form: { partnerId: byId(id), updateFields: { address: { city: 'Bonn' } } },
			holds: () => {
				const after = partners(sandbox).get(id);
				return after?.address.city === 'Bonn' && after.address.country === before.address.country;
			},
		};
	}),
	write('usage.record', async ({ sandbox }) => {
		const subscription = sandbox.state.subscriptions.subscriptions.rows[2];
		const externalId = fresh('usage');
		return {
			node: 'platformCustomers',
			operation: 'usage.record',
			form: {
				customerId: byId(subscription.customerId),
				subscriptionId: byId(subscription.id),
				externalId,
				additionalFields: { amount: 4 },
			},
			holds: () =>
				subscription.usages.filter((usage) => usage.externalId === externalId).length === 1,
		};
	}),
	write('charge.create charges once', async ({ sandbox }) => {
		const { charges } = sandbox.state.charges;
		const before = charges.size;
		return {
			node: 'platformCustomers',
			operation: 'charge.create',
			form: {
				customerId: byId(customers(sandbox).rows[12].id),
				services: { service: [{ name: 'Work', amount: 10 }] },
			},
			holds: () => charges.size === before + 1,
		};
	}),
	write('property.update', async ({ sandbox }) => {
		const { id } = customers(sandbox).rows[13];
		return {
			node: 'platformCustomers',
			operation: 'property.update',
			form: {
				customerId: byId(id),
				properties: {
					property: [{ name: { __rl: true, mode: 'name', value: 'tier' }, value: 'gold' }],
				},
			},
			holds: () => customers(sandbox).get(id)?.properties.tier === 'gold',
		};
	}),
];

/** A write that the service refuses: an error with its message, and nothing changed. */
interface Refused {
	name: string;
	node: string;
	operation: string;
	form: (sandbox: Sandbox) => Record<string, unknown>;
	says: string;
	/** What must stay as it is. */
	stays?: (sandbox: Sandbox) => unknown;
	/** What the error must not say. */
	saysNot?: RegExp;
}

const refusedWrites: Refused[] = [
	{
		name: 'a customer whose e-mail is taken',
		node: 'platformCustomers',
		operation: 'customer.create',
		form: (sandbox) => ({ email: customers(sandbox).rows[20].email }),
		says: 'A customer already exists with this email',
		stays: (sandbox) => customers(sandbox).size,
	},
	{
		name: 'a paid payout',
		node: 'platformPartners',
		operation: 'payout.updateStatus',
		form: ({ state }) => {
			const paid = state.payouts.payouts.rows.find(({ status }) => status === 'paid');
			return { payoutId: byId(String(paid?.id)), status: 'refused' };
		},
		says: 'Paid payouts cannot be updated',
		stays: ({ state }) =>
			state.payouts.payouts.rows.filter(({ status }) => status === 'paid').length,
	},
	{
		name: 'a wrong one-time code',
		node: 'platformIdentity',
		operation: 'oneTimePassword.verify',
		form: () => ({ externalUserId: 'user-5', code: '000000' }),
		says: 'Invalid credentials or access denied',
		saysNot: /API key|scope/,
	},
	{
		name: 'embeddings beyond the budget',
		node: 'platformAiGateway',
		operation: 'embedding.create',
		form: ({ state }) => {
			state.aiEmbeddings.budget = { limitUsd: 1, spentUsd: 2 };
			return { connectionId: byId('aic-2'), passages: 'one', requests: { retryTime: 0 } };
		},
		says: 'AI Gateway monthly budget would be exceeded',
	},
];

const refusals = refusedWrites.map(
	({ name, node, operation, form, says, stays, saysNot }): Check => ({
		name: `refusal of ${name}`,
		async run(bench) {
			const { sandbox } = bench;
			const budget = { ...sandbox.state.aiEmbeddings.budget };
			const parameters = form(sandbox);
			const before = stays?.(sandbox);
			const { items, error } = await bench.run(node, operation, parameters);
			sandbox.state.aiEmbeddings.budget = budget;
			expectThat(error !== undefined && items.length === 0, 'an item in place of an error');
			expectThat(error.message.includes(says), `the error does not say why: ${error.message}`);
			expectThat(!saysNot?.test(told(error)), `the error blames another: ${told(error)}`);
			expectThat(stays?.(sandbox) === before, 'the service has changed all the same');
		},
	}),
);

/** Create or Update: one record with the key, whatever the service answers to a look-up. */
interface Upserted {
	name: string;
	node: string;
	operation: string;
	form: (key: string, city: string) => Record<string, unknown>;
	rows: (sandbox: Sandbox, key: string) => Array<{ id: string; city?: string }>;
}

const upserted: Upserted[] = [
	{
		name: 'customer',
		node: 'platformCustomers',
		operation: 'customer.upsert',
		form: (externalId, city) => ({
			externalId,
			email: `${externalId}@example.com`,
			fields: { address: { city } },
		}),
		rows: (sandbox, key) =>
			customers(sandbox)
				.rows.filter(({ externalId }) => externalId === key)
				.map(({ id, address }) => ({ id, city: address?.city })),
	},
	{
		name: 'customer by email',
		node: 'platformCustomers',
		operation: 'customer.upsert',
		form: (key, city) => ({
			matchBy: 'email',
			email: `${key}@example.com`,
			fields: { address: { city } },
		}),
		rows: (sandbox, key) =>
			customers(sandbox)
				.rows.filter(({ email }) => email === `${key}@example.com`)
				.map(({ id, address }) => ({ id, city: address?.city })),
	},
	{
		name: 'partner',
		node: 'platformPartners',
		operation: 'partner.upsert',
		form: (externalId, city) => ({
			externalId,
			name: 'Partner',
			email: `${externalId}@example.com`,
			country: 'DE',
			additionalFields: { address: { city } },
		}),
		rows: (sandbox, key) =>
			partners(sandbox)
				.rows.filter(({ external_id }) => external_id === key)
				.map(({ id, address }) => ({ id, city: address.city })),
	},
];

/**
 * Worlds in which an absence looks as any other refusal: what a lookup of partners answers that finds nothing is not
 * shown, and only 404 says so by itself.
 */
const isUntold = ({ world: { unknownStatus, partnerNone } }: Bench) =>
	unknownStatus !== '404' || partnerNone !== 'error';

const upserts = upserted.map(({ name, node, operation, form, rows }): Check => ({
	name: `create or update ${name}`,
	async run(bench) {
		const { sandbox } = bench;
		const key = fresh('upsert');
		const once = async (city: string, action: string) => {
			const { items, error } = await bench.run(node, operation, form(key, city));
			const found = rows(sandbox, key);
			expectThat(found.length <= 1, `${found.length} records of one key`);
			if (error && found.length === 0 && name === 'partner' && isUntold(bench)) {
				const isTold = told(error).includes('Nothing was created or updated.');
				expectThat(isTold, `the error does not say what was done: ${told(error)}`);
				return false;
			}
			expectThat(error === undefined, `an error: ${error?.message}`);
			expectThat(found[0]?.city === city, 'the record does not hold what was sent');
			const { json } = items[0];
			expectThat(json.action === action, `${String(json.action)} in place of ${action}`);
			const id = sandbox.shown(found[0].id);
			expectThat(json.id === id, `the id is ${String(json.id)}, not ${id}`);
			return true;
		};
		if (await once('Bonn', 'created')) await once('Ulm', 'updated');
	},
}));

const scopes: Check = {
	name: 'missing scope',
	async run(bench) {
		const { sandbox } = bench;
		const apiKey = sandbox.addKey({ scopes: ['ping:read'] });
		const credential = { baseUrl: sandbox.baseUrl, apiKey };
		const { error } = await bench.run(
			'platformCustomers',
			'customer.get',
			{ customerId: byId('cus-100002') },
			{ credential },
		);
		expectThat(
			told(error).includes('customers:read'),
			`the error does not name the scope: ${told(error)}`,
		);
	},
};

const throttled: Check = {
	name: 'a refused request is sent again',
	async run(bench) {
		const { sandbox, world } = bench;
		const wait = { seconds: '0', date: new Date().toUTCString(), none: undefined };
		sandbox.faults.add({
			kind: 'status',
			status: 429,
			times: 1,
			body: { error: 'Too many requests' },
			retryAfter: wait[world.retryAfter],
		});
		const { error } = await bench.run('platformCompany', 'company.get');
		sandbox.faults.clear();
		expectThat(error === undefined, `an error: ${error?.message}`);
	},
};

const arrays: Check = {
	name: 'arrays in a query',
	async run(bench) {
		const asked = ['A', 'MX'];
		const { items, error, hints } = await bench.run('platformDns', 'lookup.run', {
			target: `${createHash('sha256').update(fresh('name')).digest('hex').slice(0, 8)}.example`,
			additionalFields: { recordTypes: asked },
			simplify: false,
		});
		expectThat(error === undefined, `an error: ${error?.message}`);
		const got = items[0].json.recordTypes as string[];
		const isTold = hints.length > 0;
		expectThat(
			asked.every((type) => got.includes(type)) || isTold,
			`${got.join(', ')} looked up of ${asked.join(', ')}, and nobody is told`,
		);
	},
};

export const writeChecks: Check[] = [scopes, throttled, arrays, ...refusals, ...upserts, ...writes];
