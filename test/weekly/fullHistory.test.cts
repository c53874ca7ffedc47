// Keep New in a real n8n with a history of 10,000 keys that is full.
import { itemsOf } from '../n8n/client.cts';
import { PLATFORM, trigger, workflowOf, type Part } from '../n8n/parts.cts';
import { LEAN, ownSetting } from '../n8n/setting.cts';

const WINDOW = 10_000;
/** Keys in one execution: while n8n works on more, it doesn't answer. */
const AT_ONCE = 2_000;

const running = ownSetting({ env: LEAN });

describe('a history of 10,000 keys that is full', () => {
	/** Runs a workflow that gives a node the keys from one number up to another, and says which pass. */
	async function workflowWith(node: Part) {
		const { client } = running().n8n;
		const keys = (from: number, to: number): Part => ({
			name: 'Keys',
			type: 'n8n-nodes-base.set',
			version: 3.4,
			parameters: {
				mode: 'raw',
				jsonOutput: `={{ { key: Array.from({ length: ${to - from} }, (none, at) => 'key-' + (at + ${from})) } }}`,
			},
			to: ['Split'],
		});
		const split: Part = {
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'key' },
			to: [node.name],
		};
		const of = (from: number, to: number) =>
			workflowOf('Full history', [trigger('Keys'), keys(from, to), split, node]);
		const { id } = await client.importWorkflow(of(0, 1));
		return async (from: number, to = from + 1): Promise<string | number> => {
			await client.updateWorkflow(id, { nodes: of(from, to).nodes });
			const execution = await client.runWorkflow(id);
			const { error } = execution.data.resultData;
			return error?.message ?? itemsOf(execution, node.name).length;
		};
	}

	async function fill(run: (from: number, to: number) => Promise<string | number>) {
		for (let from = 0; from < WINDOW; from += AT_ONCE) {
			expect(await run(from, from + AT_ONCE)).toBe(AT_ONCE);
		}
	}

	test('lets Keep New go on, and forgets the oldest', async () => {
		const run = await workflowWith({
			name: 'Keep New',
			type: `${PLATFORM}.platformWebhooks`,
			parameters: { resource: 'delivery', operation: 'keepNew', key: '={{ $json.key }}' },
		});
		await fill(run);
		expect(await run(WINDOW - AT_ONCE, WINDOW)).toBe(0);
		for (const next of [0, 1, 2]) expect(await run(WINDOW + next)).toBe(1);
		expect(await run(WINDOW - AT_ONCE, WINDOW + 3)).toBe(0);
		expect(await run(0)).toBe(1);
	});
});
