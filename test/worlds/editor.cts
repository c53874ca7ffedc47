// What the editor shows and what AI nodes ask: pickers and sub-nodes.
import { NodeConnectionTypes } from 'n8n-workflow';
import { pickerLists } from '../../dist/nodes/api/pickerLists.js';
import type { PickerList } from '../../nodes/engine/editor/pickers.ts';
import { formOf, searchList } from '../execution/host/pickers.cts';
import { byId, credentialOf } from '../execution/host/run.cts';
import { useSubNode } from '../execution/host/subNode.cts';
import { embed } from '../sandbox/areas/aiGateway/text.cts';
import type { Sandbox } from '../sandbox/index.cts';
import { type Check, expectThat } from './bench.cts';

/** What the form holds above a list that depends on it. */
const parents = {
	customerId: byId('cus-100001'),
	partnerId: byId('ptn-1'),
	workflowId: byId('wfl-1'),
	knowledgeBaseId: byId('akb-1'),
};

/** Rows that the lists of pickers hold, where they are many. */
const sizes: Record<string, (sandbox: Sandbox) => number> = {
	customers: ({ state }) => state.customers.customers.size,
	partners: ({ state }) => state.partners.partners.size,
	workflowTraces: ({ state }) => state.workflows.traces.get('wfl-1')?.size ?? 0,
	contents: ({ state }) => state.contentBox.contents.size,
	newsletters: ({ state }) => state.newsletters.newsletters.size,
};

const pickers = Object.entries(pickerLists as Record<string, PickerList>).map(
	([name, list]): Check => ({
		name: `picker ${name}`,
		async run({ sandbox }) {
			const { node, chosen } = formOf(name);
			const { webhooks } = sandbox.state.webhooks;
			if (name === 'webhooks' && webhooks.size === 0) {
				webhooks.add({
					id: 'whk-61',
					name: 'Billing',
					description: '',
					url: 'https://example.com/billing',
					events: ['RecurringPayments.charge.paid'],
					token: 'token-of-billing',
				});
			}
			const text = list.searchBody ? 'plan' : '';
			const parameters = sandbox.shown({ ...chosen, ...parents });
			const values: unknown[] = [];
			let token: string | undefined;
			for (let pages = 0; pages < 50; pages += 1) {
				const found = await searchList(sandbox, node, name, parameters, { typed: text, token });
				for (const { name: label, value } of found.results) {
					expectThat(!/undefined|null|\[object/.test(label), `a choice is called "${label}"`);
					values.push(value);
				}
				token = found.paginationToken as string | undefined;
				if (token === undefined) break;
			}
			expectThat(token === undefined, 'the pages do not end');
			expectThat(values.length > 0, 'no choice');
			const isUnfolded = name === 'schedulerEvents';
			const twice = values.length - new Set(values).size;
			expectThat(twice === 0 || isUnfolded, `${twice} choices twice`);
			const size = sizes[name]?.(sandbox) ?? 0;
			expectThat(values.length >= size, `${values.length} of ${size} choices`);
		},
	}),
);

interface Embeddings {
	embedDocuments(texts: string[]): Promise<number[][]>;
}

interface Retriever {
	invoke(query: string): Promise<Array<{ pageContent: string }>>;
}

const subNodes: Check[] = [
	{
		name: 'sub-node embeddings',
		async run({ sandbox }) {
			let vectors: number[][] = [];
			const { error } = await useSubNode<Embeddings>({
				node: 'platformEmbeddings',
				type: NodeConnectionTypes.AiEmbedding,
				parameters: sandbox.shown({ connectionId: byId('aic-2') }),
				credential: credentialOf(sandbox),
				use: async ({ embedDocuments }) => {
					vectors = await embedDocuments(['red', 'green']);
				},
			});
			expectThat(error === undefined, `an error: ${error?.message}`);
			const wanted = [embed('red'), embed('green')];
			expectThat(JSON.stringify(vectors) === JSON.stringify(wanted), 'the vectors are others');
		},
	},
	{
		name: 'sub-node retriever',
		async run({ sandbox }) {
			let passages: Array<{ pageContent: string }> = [];
			const { error } = await useSubNode<Retriever>({
				node: 'platformKnowledgeBaseRetriever',
				type: NodeConnectionTypes.AiRetriever,
				parameters: sandbox.shown({ knowledgeBaseId: byId('akb-1') }),
				credential: credentialOf(sandbox),
				use: async ({ invoke }) => {
					passages = await invoke('reset my password with an e-mail');
				},
			});
			expectThat(error === undefined, `an error: ${error?.message}`);
			expectThat(passages.length > 0, 'no passage');
			expectThat(
				passages.every(({ pageContent }) => typeof pageContent === 'string' && pageContent !== ''),
				'a passage without text',
			);
		},
	},
];

export const editorChecks: Check[] = [...pickers, ...subNodes];
