// What a model is told through n8n's own MCP server before it builds a workflow: types and pickers.
import { pickerLists } from '../../dist/nodes/api/pickerLists.js';
import type { PickerList } from '../../nodes/engine/editor/pickers.ts';
import { pathParameters } from '../table/api.cts';
import { typesOf } from '../../tools/tokens.cts';
import { nodes } from '../table/operations.cts';
import { builder, byId, PACKAGE } from './builder.cts';

const building = builder('building', { sandbox: { customers: 20 } });

test('the types of the nodes are those that docs/contributing/builders.md speaks of', async () => {
	for (const node of nodes) {
		const nodeId = `${PACKAGE}.${node.name}`;
		const text = await building().ask('get_node_types', { nodeIds: [{ nodeId }] });
		// n8n itself adds the times of a poll.
		if (node.name !== 'platformPollingTrigger') expect(text).toContain(typesOf(node));
	}
});

/** Pickers that depend on another field, each with the node and the picker of that field. */
const parents: Record<string, [node: string, parents: string]> = {
	customerProperties: ['platformCustomers', 'customers'],
	customerSubscriptions: ['platformCustomers', 'customers'],
	knowledgeBaseDocuments: ['platformAiGateway', 'knowledgeBases'],
	workflowTraces: ['platformWorkflows', 'workflows'],
	partnerFees: ['platformPartners', 'partners'],
	partnerPayouts: ['platformPartners', 'partners'],
};

const dependent = Object.entries<PickerList>(pickerLists).filter(
	([, { route }]) => pathParameters(route).length > 0,
);

test.each(dependent)(
	'%s is explored, by a locator and by a plain ID',
	async (list, { route, searchBody }) => {
		const [node, parentsOf] = parents[list];
		// A list that is a search asks for a text first.
		const filter = searchBody ? 'password' : '';
		const [parameter] = pathParameters(route);
		const { explore } = building();
		const { results } = await explore(node, parentsOf);
		const found = [];
		// Not every parent has rows, and not every knowledge base can be searched.
		for (const { value } of results.slice(0, searchBody ? 1 : 10)) {
			const byLocator = await explore(node, list, { [parameter]: byId(value) }, filter);
			expect(await explore(node, list, { [parameter]: value }, filter)).toEqual(byLocator);
			found.push(...byLocator.results);
		}
		expect(found.filter(({ value }) => value !== '')).not.toEqual([]);
	},
);
