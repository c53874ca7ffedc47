// What people see of the nodes: in n8n's panel, searched as n8n does it, of one that was just added, whose form is
// untouched, and below it on the canvas, evaluated by n8n's own expressions.
import type { INodeProperties } from 'n8n-workflow';
import { pickerLists } from '../../dist/nodes/api/pickerLists.js';
import { firstFor, isMerged, strayed } from '../../tools/codex.cts';
import type { PickerList } from '../../nodes/engine/editor/pickers.ts';
import { nodeOf, workflowOf } from '../execution/host/workflow.cts';
import { onlyReads } from '../table/api.cts';
import { nodes, table, type PackageNode } from '../table/operations.cts';
import { expectNone } from '../none.cts';

test('the events of a charge stand in the entry of the node that charges', () => {
	expect(nodes.filter(isMerged).map(({ name }) => name)).toEqual(['platformCustomersTrigger']);
});

test("an operation's words lead to its node, by the alias of its codex file", () => {
	expectNone(
		table.flatMap(strayed),
		'n8n leads these words to another node. Run `npm run generate`, which adds them to the codex file, or use other words.',
	);
});

test.each([
	['webhook paid', 'platformCustomers'],
	['charge paid', 'platformCustomers'],
	['on charge paid', 'platformCustomers'],
	['payment failed', 'platformCustomers'],
	['platform trigger', 'platformCustomers'],
	['create customer', 'platformCustomers'],
	['charge a customer', 'platformCustomers'],
	['change plan', 'platformCustomers'],
	['upgrade plan', 'platformCustomers'],
	['cancel subscription', 'platformCustomers'],
	['find customer', 'platformCustomers'],
	['upsert customer', 'platformCustomers'],
	['upsert', 'platformCustomers'],
	['sync customers', 'platformCustomers'],
	['import customers', 'platformCustomers'],
	['list customers', 'platformCustomers'],
	['bill customer', 'platformCustomers'],
	['cancel', 'platformCustomers'],
	['upgrade', 'platformCustomers'],
	['dismiss', 'platformCustomers'],
	['pay partner', 'platformPartners'],
	['dns lookup', 'platformDns'],
	['knowledge base search', 'platformAiGateway'],
	['search documents', 'platformAiGateway'],
	['find partner', 'platformPartners'],
	['upsert partner', 'platformPartners'],
	['payout', 'platformPartners'],
	['new customer', 'platformPollingTrigger'],
])('%s leads to %s', (text, node) => {
	expect(firstFor(text)).toBe(node);
});

const triggers = nodes.filter(({ description }) => description.group.includes('trigger'));
const propertiesOf = (node: string) =>
	nodes.find(({ name }) => name === node)!.description.properties;

/** n8n's panel makes an entry of each option of a trigger's first field with one of these names. */
const eventsOf = (node: string) =>
	propertiesOf(node)
		.find(({ displayName }) =>
			['event', 'events', 'trigger on'].includes(displayName.toLowerCase()),
		)
		?.options?.map((option) => ('action' in option ? option.action : undefined));

test('the panel offers events as people call them', () => {
	expect(eventsOf('platformCustomersTrigger')).toEqual([
		'On charge failed',
		'On charge paid',
		'On another event',
	]);
	expect(eventsOf('platformPollingTrigger')).toEqual([
		'On customer changed',
		'On customer no longer listed',
		'On document status changed',
		'On new customer',
		'On newsletter status changed',
		'On partner changed',
		'On payout status changed',
		'On registered webhook missing',
		'On subscription changed',
		'On subscription no longer listed',
		'On subscription payment',
		'On workflow run added or changed',
	]);
});

test('an event of the API has a readable name, and its own beside it', () => {
	const { text } = (pickerLists as Record<string, PickerList>).webhookEventTypes;
	expect(text?.('RecurringPayments.charge.paid')).toBe(
		'Charge paid (RecurringPayments.charge.paid)',
	);
	expect(text?.('Billing.Invoice.past_due')).toBe('Invoice past due (Billing.Invoice.past_due)');
	expect(text?.('ping')).toBe('Ping (ping)');
});

test.each(triggers)('$name says what it waits for, and what publishing does', ({ description }) => {
	expect(description.eventTriggerDescription).toMatch(/^(Waiting for|Reading)/);
	expect(description.activationMessage).toMatch(/^Your trigger will now /);
});

const actionNodes = nodes.filter(({ resources }) => resources);

/** The operation that the form of a new node shows for a resource, and the resource that it shows. */
function defaultsOf({ description, resources = [] }: PackageNode) {
	const named = (name: string) => description.properties.filter((each) => each.name === name);
	const chosen = String(named('resource')[0].default);
	const pickerOf = (resource: string) =>
		named('operation').find(({ displayOptions }) =>
			displayOptions?.show?.resource?.includes(resource),
		) as INodeProperties;
	return {
		resource: chosen,
		operations: resources.map((resource) => {
			const value = pickerOf(resource.value).default;
			const operation = resource.operations.find((each) => each.value === value);
			if (!operation) throw new Error(`${resource.value} has no operation ${String(value)}`);
			return { resource, operation };
		}),
	};
}

test('a new node does what most people want of it first', () => {
	const shown = Object.fromEntries(
		actionNodes.map((node) => {
			const { resource, operations } = defaultsOf(node);
			const { operation } = operations.find((each) => each.resource.value === resource)!;
			return [node.name, operation.action];
		}),
	);
	expect(shown).toEqual({
		platformAiGateway: 'Search a knowledge base',
		platformCompany: 'Get the company',
		platformContentBox: 'Get many content entries',
		platformCustomers: 'Get many customers',
		platformDns: 'Run a lookup',
		platformIdentity: 'Get a user',
		platformNewsletters: 'Get many newsletters',
		platformPartners: 'Get many partners',
		platformRecurringPayments: 'Get many recurring subscriptions',
		platformScheduler: 'Get many events',
		platformWebhooks: 'Get many webhooks',
		platformWorkflows: 'Get many workflows',
	});
});

test.each(actionNodes.map((node) => [node.displayName, node] as const))(
	'%s only reads until an operation is chosen',
	(_name, node) => {
		const { resource, operations } = defaultsOf(node);
		const writes = operations
			.filter((each) => !onlyReads(each.operation.endpoint.route))
			.filter((each) => each.resource.operations.some(({ endpoint }) => onlyReads(endpoint.route)));
		expectNone(
			writes.map(({ operation }) => operation.action),
			'A new node must not begin with a write. Put an operation that reads first, or set `usualOperation`.',
		);
		const first = operations.find((each) => each.resource.value === resource)!;
		expect(onlyReads(first.operation.endpoint.route)).toBe(true);
	},
);

/** The subtitle of a node with these parameters. */
function subtitle(node: string, parameters: object): unknown {
	const { description } = nodes.find(({ name }) => name === node)!;
	const { expression } = workflowOf({ nodes: [nodeOf(node, parameters as never)] });
	return expression.getSimpleParameterValue(
		nodeOf(node, parameters as never),
		description.subtitle,
		'internal',
		{},
	);
}

test('an operation is named in the words of its form', () => {
	const wrong = table.flatMap(({ node, resource, operation, title }) => {
		const shown = subtitle(node, { resource: resource.value, operation: operation.value });
		return shown === `${operation.name}: ${resource.name}`
			? []
			: [`${title} shows ${String(shown)}`];
	});
	expectNone(
		wrong,
		'The subtitle says it otherwise than the form. Correct the name of the operation, or subtitleOf (nodes/engine/node/nodeHead.ts).',
	);
});

const PAID = 'RecurringPayments.charge.paid';
const FAILED = 'RecurringPayments.charge.failed';
const other = { events: [PAID, 'other'], otherEvents: ['Billing.invoice.sent'] };

test.each([
	['platformCustomers', { resource: 'charge', operation: 'create' }, 'Create: Charge'],
	// Not in the table of operations.
	['platformWebhooks', { resource: 'delivery', operation: 'keepNew' }, 'Keep New: Delivery'],
	['platformCustomersTrigger', { events: [PAID, FAILED] }, 'charge paid, charge failed'],
	['platformCustomersTrigger', other, 'charge paid, invoice sent'],
])('%s, %j: the subtitle is %s', (node, parameters, expected) => {
	expect(subtitle(node, parameters)).toBe(expected);
});
