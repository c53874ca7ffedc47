// A workflow that was saved with version 1 of the nodes keeps running: every node of it starts, and
// sends what it sent when it was saved. docs/contributing/development.md says how nodes may change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, INode } from 'n8n-workflow';
import { RECORD, storedParameters, type Parameters } from '../../tools/parameters.cts';
import { runWorkflow, sourceOf } from './host/host.cts';
import { packageNodes } from './host/package.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { expectNone } from '../none.cts';

const root = join(__dirname, '../..');
const PACKAGE = 'n8n-nodes-platform-api.';

const { nodes, connections, settings } = JSON.parse(
	readFileSync(join(root, 'test/fixtures/workflow-v1.json'), 'utf8'),
) as { nodes: INode[]; connections: IConnections; settings: { timezone: string } };
const recorded = JSON.parse(readFileSync(join(root, RECORD), 'utf8')) as Parameters;

const sandbox = sandboxFor();

const get = (path: string) => ({ method: 'GET', path });
const post = (path: string, body: object) => ({ method: 'POST', path, body });

/** What each node sends, in the words of the API's reference. */
const expected: Record<string, object[]> = {
	'Convert a currency': [post('/currencies/EUR/USD.json', { amount: 12.5 })],
	'Create or update a customer': [
		get('/customers/customer.json?externalId=crm-v1'),
		post('/customers.json', {
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
		}),
	],
	'Create a subscription': [
		post('/customers/{customer}/subscriptions.json', {
			subscription: {
				id: 'plan-basic',
				taxes: 'vat-19',
				global_discount: { type: 'percentage', value: 10 },
				addons: [{ element: 'seats', quantity: 3 }],
			},
		}),
	],
	'Record usage': [
		post('/customers/{customer}/subscriptions/{subscription}.json', {
			usage: { amount: 4, externalId: 'usage-v1', value: 2, value_type: 'hours' },
		}),
	],
	'Create a charge': [
		post('/customers/{customer}/charges.json', {
			charge: {
				capture: false,
				services: [
					{ name: 'Setup', amount: 49.9, taxProfile: 'standard' },
					{ name: 'Support', amount: 10 },
				],
			},
		}),
	],
	'List subscriptions': [get('/recurring-payments/subscriptions.json?size=2&page=1')],
	'List event types': [get('/webhooks/types.json')],
	'Run a workflow': [
		post('/workflow/wfl-1.json', {
			data: { source: 'n8n', event: expect.stringContaining('RecurringPayments.') },
		}),
	],
	'Schedule an event': [
		post('/scheduler/events.json', {
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
		}),
	],
	'Look up records': [
		post('/dns/lookup.json', {
			target: 'example.com',
			recordTypes: ['A', 'MX'],
			resolverPreset: 'public',
			resolvers: [{ id: 'own', label: 'Own', server: '192.0.2.53' }],
		}),
	],
	'Create or update a partner': [
		get('/partners/partner.json?externalId=reseller-v1'),
		post('/partners.json', {
			partner: {
				external_id: 'reseller-v1',
				name: 'Reseller One',
				email: 'reseller.one@example.com',
				code: 'R1',
				partner_group_id: 'grp-gold',
				address: { country: 'IT', city: 'Rome', vat_number: 'IT12345670785' },
			},
		}),
	],
	'Create an entry': [
		post('/contentbox/contents.json', {
			content: {
				type_id: 'typ-article',
				title: 'Saved with version 1',
				state: 'public',
				data: { teaser: 'A text', source: 'https://example.com/a', featured: true },
			},
		}),
	],
	'Create a user': [post('/idp/user.json', { user: { external_id: 'user-v1' } })],
	'Set up one-time passwords': [
		post('/idp/user-v1/otp.json', { otp: { issuer_name: 'Example', account_name: 'vera' } }),
	],
	'Create a newsletter': [
		post('/newsletters.json', {
			newsletter: {
				title: 'Saved',
				subject: 'Saved with version 1',
				template_id: 'monthly.html',
				contact_ids: ['cus-100001', 'cus-100002'],
			},
		}),
	],
	'Search a knowledge base': [
		post('/ai-gateway/knowledge-bases/akb-1/search.json', {
			query: 'backup codes',
			limit: 2,
			principals: ['group:finance'],
		}),
	],
	'Embed passages': [
		post('/ai-gateway/embeddings', {
			connection_id: 'aic-2',
			input: [expect.any(String), 'second passage'],
			input_type: 'query',
			dimensions: 256,
		}),
	],
};

test('the saved workflow runs and sends what it sent', async () => {
	const types = Object.fromEntries(
		Object.entries(packageNodes()).map(([name, type]) => [PACKAGE + name, type]),
	);
	const run = await runWorkflow({
		nodes,
		connections,
		types: { ...types, 'n8n-nodes-base.manualTrigger': sourceOf([{ json: {} }]) },
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
	expectNone(
		Object.keys(packageNodes()).filter((name) => !used.has(name)),
		'Add the node to test/fixtures/workflow-v1.json, and what it sends to `expected` (docs/contributing/guides.md).',
	);
});

describe('parameters of version 1', () => {
	const current = storedParameters();

	test.each(Object.keys(recorded))('%s: none is renamed, removed or changed', (name) => {
		const now = new Set(current[name] ?? []);
		expectNone(
			recorded[name].filter((line) => !now.has(line)),
			'Saved workflows have this name, type, value or default. Put it back, or give the node a new version (docs/contributing/development.md).',
		);
	});
});
