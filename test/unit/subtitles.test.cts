// What stands below a node on the canvas, evaluated by n8n's own expressions.
import { nodeOf, workflowOf } from '../execution/host/workflow.cts';
import { nodes, table } from '../table/operations.cts';

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
	expect(wrong).toEqual([]);
	expect(subtitle('platformCustomers', { resource: 'charge', operation: 'create' })).toBe(
		'Create: Charge',
	);
});

test('what a form offers beyond the table of operations is named, too', () => {
	const form = { resource: 'delivery', operation: 'keepNew' };
	expect(subtitle('platformWebhooks', form)).toBe('Keep New: Delivery');
});

test.each([
	[
		['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'],
		[],
		'charge paid, charge failed',
	],
	[
		['RecurringPayments.charge.paid', 'other'],
		['Billing.invoice.sent'],
		'charge paid, invoice sent',
	],
])('the trigger names its events: %j, %j', (events, otherEvents, expected) => {
	expect(subtitle('platformCustomersTrigger', { events, otherEvents })).toBe(expected);
});
