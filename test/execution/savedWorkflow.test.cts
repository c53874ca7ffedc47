// A workflow that was saved with version 1 of the nodes keeps running: every node of it starts, and
// sends what it sent when it was saved. docs/contributing/development.md says how nodes may change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';
import { RECORD, storedParameters, type Parameters } from '../../tools/parameters.cts';
import { runWorkflow, Source } from './host/host.cts';
import { packageNodes } from './host/package.cts';
import { credentialOf, sandboxFor } from './host/run.cts';

const root = join(__dirname, '../..');
const PACKAGE = 'n8n-nodes-platform-api.';

const { nodes, connections, settings } = JSON.parse(
	readFileSync(join(root, 'test/fixtures/workflow-v1.json'), 'utf8'),
) as { nodes: INode[]; connections: IConnections; settings: { timezone: string } };
const recorded = JSON.parse(readFileSync(join(root, RECORD), 'utf8')) as Parameters;

const sandbox = sandboxFor();

/** What each node sends, in the words of the API's reference. */
const expected: Record<string, object[]> = {
	'Convert a currency': [
		{ method: 'POST', path: '/currencies/EUR/USD.json', body: { amount: 12.5 } },
	],
	'Create or update a customer': [
		{ method: 'GET', path: '/customers/customer.json?externalId=crm-v1' },
		{
			method: 'POST',
			path: '/customers.json',
			body: {
				customer: {
					externalId: 'crm-v1',
					email: 'version.one@example.com',
					company_name: 'Version One',
					first_name: 'Vera',
					last_name: 'One',
					address: { country: 'DE', city: 'Berlin', address: 'Ring 1' },
					tags: ['saved', 'workflow'],
					phone: '+49 30 1',
				},
			},
		},
	],
	'Create a subscription': [
		{
			method: 'POST',
			path: '/customers/{customer}/subscriptions.json',
			body: {
				subscription: {
					id: 'plan-basic',
					taxes: 'vat-19',
					global_discount: { type: 'percentage', value: 10 },
					addons: [{ element: 'seats', quantity: 3 }],
				},
			},
		},
	],
	'Record usage': [
		{
			method: 'POST',
			path: '/customers/{customer}/subscriptions/{subscription}.json',
			body: { usage: { amount: 4, externalId: 'usage-v1', value: 2, value_type: 'hours' } },
		},
	],
	'Create a charge': [
		{
			method: 'POST',
			path: '/customers/{customer}/charges.json',
			body: {
				charge: {
					capture: false,
					services: [
						{ name: 'Setup', amount: 49.9, taxProfile: 'standard' },
						{ name: 'Support', amount: 10 },
					],
				},
			},
		},
	],
	'List subscriptions': [
		{ method: 'GET', path: '/recurring-payments/subscriptions.json?size=2&page=1' },
	],
	'List event types': [{ method: 'GET', path: '/webhooks/types.json' }],
	'Run a workflow': [
		{
			method: 'POST',
			path: '/workflow/wfl-1.json',
			body: { data: { source: 'n8n', event: expect.stringContaining('RecurringPayments.') } },
		},
	],
	'Schedule an event': [
		{
			method: 'POST',
			path: '/scheduler/events.json',
			body: {
				event: {
					event_type: 'action',
					title: 'Quarterly review',
					schedule_date: '2026-03-01T09:00:00+01:00',
					end_date: '2026-03-01T10:00:00+01:00',
					is_all_day: false,
					color: '#336699',
					action_type: 'workflow',
					action_details: { workflow_id: 'wfl-1', payload: { quarter: 1 } },
					recurrence: { type: 'month', interval: 3, endDate: '2027-03-01' },
				},
			},
		},
	],
	'Look up records': [
		{
			method: 'POST',
			path: '/dns/lookup.json',
			body: {
				target: 'example.com',
				recordTypes: ['A', 'MX'],
				resolverPreset: 'public',
				resolvers: [{ id: 'own', label: 'Own', server: '192.0.2.53' }],
			},
		},
	],
	'Create or update a partner': [
		{ method: 'GET', path: '/partners/partner.json?externalId=reseller-v1' },
		{
			method: 'POST',
			path: '/partners.json',
			body: {
				partner: {
					external_id: 'reseller-v1',
					name: 'Reseller One',
					email: 'reseller.one@example.com',
					code: 'R1',
					partner_group_id: 'grp-gold',
					address: { country: 'IT', city: 'Rome', vat_number: 'IT12345670785' },
				},
			},
		},
	],
	'Create an entry': [
		{
			method: 'POST',
			path: '/contentbox/contents.json',
			body: {
				content: {
					type_id: 'typ-article',
					title: 'Saved with version 1',
					state: 'public',
					data: { teaser: 'A text', source: 'https://example.com/a', featured: true },
				},
			},
		},
	],
	'Create a user': [
		{ method: 'POST', path: '/idp/user.json', body: { user: { external_id: 'user-v1' } } },
	],
	'Set up one-time passwords': [
		{
			method: 'POST',
			path: '/idp/user-v1/otp.json',
			body: { otp: { issuer_name: 'Example', account_name: 'vera' } },
		},
	],
	'Create a newsletter': [
		{
			method: 'POST',
			path: '/newsletters.json',
			body: {
				newsletter: {
					title: 'Saved',
					subject: 'Saved with version 1',
					template_id: 'monthly.html',
					contact_ids: ['cus-100001', 'cus-100002'],
				},
			},
		},
	],
	'Search a knowledge base': [
		{
			method: 'POST',
			path: '/ai-gateway/knowledge-bases/akb-1/search.json',
			body: { query: 'backup codes', limit: 2, principals: ['group:finance'] },
		},
	],
	'Embed passages': [
		{
			method: 'POST',
			path: '/ai-gateway/embeddings',
			body: {
				connection_id: 'aic-2',
				input: [expect.any(String), 'second passage'],
				input_type: 'query',
				dimensions: 256,
			},
		},
	],
};

test('the saved workflow runs and sends what it sent', async () => {
	const types = Object.fromEntries(
		Object.entries(packageNodes()).map(([name, type]) => [PACKAGE + name, type]),
	);
	const run = await runWorkflow({
		nodes,
		connections,
		types: { ...types, 'n8n-nodes-base.manualTrigger': Source.withItems([{ json: {} }]) },
		credential: credentialOf(sandbox()),
		start: 'Start',
		timezone: settings.timezone,
	});
	const { runData, error } = run.data.resultData;
	expect(error).toBeUndefined();
	const enabled = nodes.filter(({ disabled }) => !disabled).map(({ name }) => name);
	expect(Object.keys(runData)).toEqual(enabled);

	const idFrom = (name: string) => String(runData[name][0].data?.main[0]?.[0].json.id);
	const customer = idFrom('Create or update a customer');
	const subscription = idFrom('Create a subscription');
	const sent = sandbox().requests.map(({ method, path, body }) => ({
		method,
		path: path.replace(customer, '{customer}').replace(subscription, '{subscription}'),
		body,
	}));
	expect(sent).toEqual(enabled.flatMap((name) => expected[name] ?? []));
});

test('the saved workflow holds every node of the package', () => {
	const used = new Set(nodes.map(({ type }) => type.replace(PACKAGE, '')));
	expect(Object.keys(packageNodes()).filter((name) => !used.has(name))).toEqual([]);
});

describe('parameters of version 1', () => {
	const current = storedParameters();

	test.each(Object.keys(recorded))('%s: none is renamed, removed or changed', (name) => {
		const now = new Set(current[name] ?? []);
		expect(recorded[name].filter((line) => !now.has(line))).toEqual([]);
	});
});
