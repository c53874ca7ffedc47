// What people ask an AI for, and what it then does, step by step at n8n's MCP server: the search that finds the node, its types, the
// picker whose first entry it takes, code, execution.
import { builder, byId, PACKAGE, type Builder, type Step } from './builder.cts';

const building = builder('prompts', { sandbox: { customers: 5 } });

interface PromptStep {
	/** The node, without the prefix `platform`. */
	node: string;
	/** What is searched for. */
	query: string;
	/** Fields that take the first entry of a picker, by the name of its list. */
	pickers?: Record<string, string>;
	parameters: Record<string, unknown>;
}

interface Prompt {
	says: string;
	steps: PromptStep[];
	/** What reaches the API, a star for an ID; a workflow that a trigger starts is tested with pinned data. */
	sends: string[];
}

const prompts: Prompt[] = [
	{
		says: 'Create the Platform customer Ada Lovelace, ada@example.com, or update her if she is there.',
		steps: [
			{
				node: 'Customers',
				query: 'platform customers',
				parameters: {
					resource: 'customer',
					operation: 'upsert',
					matchBy: 'externalId',
					externalId: 'ada',
					email: 'ada@example.com',
					fields: { firstName: 'Ada', lastName: 'Lovelace' },
				},
			},
		],
		sends: ['GET /customers/customer.json', 'POST /customers.json'],
	},
	{
		says: 'Charge a Platform customer 49.90 for the setup. Let me pick the customer.',
		steps: [
			{
				node: 'Customers',
				query: 'create charge',
				pickers: { customerId: 'customers' },
				parameters: {
					resource: 'charge',
					operation: 'create',
					services: { service: [{ name: 'Setup', amount: 49.9 }] },
				},
			},
		],
		sends: ['POST /customers/*/charges.json'],
	},
	{
		says: 'For every recurring subscription, get the status of the customer’s subscription.',
		steps: [
			{
				node: 'RecurringPayments',
				query: 'recurring subscriptions',
				parameters: { resource: 'subscription', operation: 'getAll', limit: 1 },
			},
			{
				node: 'Customers',
				query: 'subscription',
				parameters: {
					resource: 'subscription',
					operation: 'getAll',
					customerId: byId('={{ $json.customer_id }}'),
				},
			},
		],
		sends: ['GET /recurring-payments/subscriptions.json', 'GET /customers/*/subscriptions.json'],
	},
	{
		says: 'When a charge fails on the Platform, write down the delivery.',
		steps: [
			{
				node: 'CustomersTrigger',
				query: 'payment failed',
				parameters: { events: ['RecurringPayments.charge.failed'] },
			},
		],
		sends: [],
	},
	{
		says: 'Create a knowledge base "Handbook" and add a first text to it.',
		steps: [
			{
				node: 'AiGateway',
				query: 'create knowledge base',
				parameters: { resource: 'knowledgeBase', operation: 'create', name: 'Handbook' },
			},
			{
				node: 'AiGateway',
				query: 'add document to knowledge base',
				parameters: {
					resource: 'document',
					operation: 'add',
					knowledgeBaseId: byId('={{ $json.id }}'),
					contentFrom: 'text',
					name: 'Holidays',
					content: 'Everybody has 30 days of holidays a year.',
				},
			},
		],
		sends: [
			'POST /ai-gateway/knowledge-bases.json',
			'POST /ai-gateway/knowledge-bases/*/documents.json',
		],
	},
];

/** The step with the first entries of its pickers, asked for in the order of the fields. */
async function filled(
	{ explore }: Builder,
	{ node, parameters, pickers = {} }: PromptStep,
): Promise<Step> {
	const type = `platform${node}`;
	const values: Record<string, unknown> = { ...parameters };
	for (const [field, methodName] of Object.entries(pickers)) {
		const { results } = await explore(type, methodName, values);
		const [{ name, value }] = results;
		values[field] = { __rl: true, mode: 'list', value, cachedResultName: name };
	}
	return { type, parameters: values, kind: node.endsWith('Trigger') ? 'trigger' : 'node' };
}

test.each(prompts)('$says', async ({ steps, sends }) => {
	const at = building();
	const all: Step[] = [];
	for (const step of steps) {
		const nodeId = `${PACKAGE}.platform${step.node}`;
		const shown = await at.ask('search_nodes', { queries: [step.query] });
		expect(shown).toContain(`- ${nodeId}`);
		const types = await at.ask('get_node_types', { nodeIds: [{ nodeId }] });
		for (const name of Object.keys({ ...step.parameters, ...step.pickers })) {
			expect(types).toContain(name);
		}
		all.push(await filled(at, step));
	}
	const workflowId = await at.build(...all);
	at.sandbox.clearRequests();
	const isStarted = all[0].kind === 'trigger';
	const told = isStarted
		? await at.ask('test_workflow', {
				workflowId,
				pinData: { 'Step 0': [{ json: { event: 'an event' } }] },
			})
		: await at.run(workflowId);
	expect(told).toContain('"status":"success"');
	const paths = at.sandbox.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
	expect(paths).toHaveLength(sends.length);
	sends.forEach((sent, index) => {
		const pattern = sent.replaceAll('.', '\\.').replaceAll('*', '[^/]+');
		expect(paths[index]).toMatch(new RegExp(`^${pattern}$`));
	});
});
