// Keep New in a real n8n with a history of 10,000 keys that is full.
import { itemsOf } from '../n8n/client.cts';
import { PLATFORM, rowOf, start, type Part } from '../n8n/parts.cts';
import { LEAN, ownSetting } from '../n8n/setting.cts';

const WINDOW = 10_000;
/** Keys in one execution: while n8n works on more, it doesn't answer. */
const AT_ONCE = 2_000;

const running = ownSetting({ env: LEAN });

/** Gives Keep New the keys from one number up to another. */
const workflowOf = (from: number, to: number) => {
	const keys = `Array.from({ length: ${to - from} }, (none, at) => 'key-' + (at + ${from}))`;
	const set = { mode: 'raw', jsonOutput: `={{ { key: ${keys} } }}` };
	const parts: Part[] = [
		{ name: 'Keys', type: 'n8n-nodes-base.set', version: 3.4, parameters: set },
		{ name: 'Split', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'key' } },
		{
			name: 'Keep New',
			type: `${PLATFORM}.platformWebhooks`,
			parameters: { resource: 'delivery', operation: 'keepNew', key: '={{ $json.key }}' },
		},
	];
	return rowOf('Full history', start, ...parts);
};

test('a history of 10,000 keys that is full lets Keep New go on, and forgets the oldest', async () => {
	const { client } = running().n8n;
	const { id } = await client.importWorkflow(workflowOf(0, 1));
	/** Gives keys; how many pass, or the error. */
	const run = async (from: number, to = from + 1) => {
		await client.updateWorkflow(id, { nodes: workflowOf(from, to).nodes });
		const execution = await client.runWorkflow(id);
		const { error } = execution.data.resultData;
		return error?.message ?? itemsOf(execution, 'Keep New').length;
	};
	for (let from = 0; from < WINDOW; from += AT_ONCE) {
		expect(await run(from, from + AT_ONCE)).toBe(AT_ONCE);
	}
	expect(await run(WINDOW - AT_ONCE, WINDOW)).toBe(0);
	for (const next of [0, 1, 2]) expect(await run(WINDOW + next)).toBe(1);
	expect(await run(WINDOW - AT_ONCE, WINDOW + 3)).toBe(0);
	expect(await run(0)).toBe(1);
});
