// What a node does that was just added, and whose form nobody has touched: it reads, and nothing else.
import type { INodeProperties } from 'n8n-workflow';
import { onlyReads } from '../table/api.cts';
import { nodes, type PackageNode } from '../table/operations.cts';

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
		expect(writes.map(({ operation }) => operation.action)).toEqual([]);
		const first = operations.find((each) => each.resource.value === resource)!;
		expect(onlyReads(first.operation.endpoint.route)).toBe(true);
	},
);
