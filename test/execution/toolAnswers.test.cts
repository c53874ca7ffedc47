// What the model of an agent reads of an answer: how many tokens, and of a list how many rows are left.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { hasLimit } from '../../dist/nodes/engine/node/description.js';
import { onlyReads } from '../table/api.cts';
import { existingForm, keyOf } from '../table/existing.cts';
import { shapeOf, table, type TableEntry } from '../table/operations.cts';
import { tokensOfText } from '../../tools/toolTokens.cts';
import { runNode } from './host/host.cts';
import { listServiceFor } from './host/listService.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { useTools, type ToolNode } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 250 });
const service = listServiceFor();

const kindOf = ({ operation }: TableEntry) => shapeOf(operation).kind;
const reads = table.filter(
	(entry) => onlyReads(entry.operation.endpoint.route) && kindOf(entry) !== 'binary',
);
const lists = reads.filter(({ operation }) => hasLimit(operation));

/** An operation as a tool whose form has nothing but what it must have, of what is in the sandbox. */
const toolOf = (entry: TableEntry) => ({
	node: entry.node,
	parameters: {
		...existingForm(sandbox(), entry),
		resource: entry.resource.value,
		operation: entry.operation.value,
	} as INodeParameters,
});

/** What tools answer to a model. */
async function answersOf(
	tools: ToolNode[],
	api: Parameters<typeof credentialOf>[0] = sandbox(),
): Promise<string[]> {
	const answers: string[] = [];
	await useTools(tools, credentialOf(api), async (found) => {
		for (const number of tools.keys()) {
			answers.push(await found[`Tool_${number + 1}`].invoke({}));
		}
	});
	return answers;
}

test('a list gives ten rows, and says how many are left', async () => {
	const tools = lists.map(toolOf);
	const answers = await answersOf(tools);
	const told = lists.map(({ title }, index) => {
		const items = JSON.parse(answers[index]) as Array<{ note?: string }>;
		const notes = items.flatMap(({ note }) => note ?? []);
		return { title, rows: items.length - notes.length, notes };
	});
	const expected = [];
	for (const [index, { title }] of lists.entries()) {
		const { node, parameters } = tools[index];
		const all = { ...parameters, returnAll: true };
		const { items } = await runNode({ node, parameters: all, credential: credentialOf(sandbox()) });
		const left = items.length - 10;
		expected.push({
			title,
			rows: Math.min(10, items.length),
			notes: left > 0 ? [expect.stringMatching(new RegExp(`^${left} more are not shown\\.`))] : [],
		});
	}
	expect(told).toEqual(expected);
	expect(told.filter(({ notes }) => notes.length > 0).length).toBeGreaterThan(8);
});

describe('a list of another service', () => {
	const rows = Array.from({ length: 30 }, (_row, n) => ({
		id: `${n}`,
		tags: [n < 25 ? 'a' : 'b'],
	}));

	async function notes(parameters: INodeParameters, envelope: object): Promise<unknown[]> {
		service().serve((page, size = 50) => ({
			body: { ...envelope, elements: rows.slice((page - 1) * size, page * size) },
		}));
		const form = { resource: 'customer', operation: 'getAll', ...parameters };
		const [answer] = await answersOf([{ node: 'platformCustomers', parameters: form }], service());
		return (JSON.parse(answer) as Array<{ note?: string }>).flatMap(({ note }) => note ?? []);
	}

	test.each([
		['announces its length', {}, { count: 30 }, [/^20 more are not shown\./]],
		['is skipped into', { options: { skip: 15 } }, { count: 30 }, [/^5 more are not shown\./]],
		['announces pages alone', {}, { pages: { max: 3 } }, [/^There may be more/]],
		['announces nothing', {}, {}, [/^There may be more/]],
		['announces nothing, and ends', { limit: 40 }, {}, []],
		[
			'is filtered, with more',
			{ filters: { tag: 'a' } },
			{ count: 30 },
			[/^15 more are not shown\./],
		],
		['is filtered, with no more', { filters: { tag: 'b' } }, { count: 30 }, []],
	])('that %s', async (_what, parameters, envelope, expected) => {
		expect(await notes(parameters, envelope)).toEqual(
			expected.map((each) => expect.stringMatching(each)),
		);
	});
});

test('answers are as small as docs/contributing/builders.md says', async () => {
	const page = readFileSync(join(__dirname, '../../docs/contributing/builders.md'), 'utf8').replace(
		/\s+/g,
		' ',
	);
	const [, record, list] =
		page.match(/A record takes up to (\d+) tokens, a list up to (\d+)/) ?? [];
	const answers = await answersOf(reads.map(toolOf));
	const sizes = reads.map((entry, index) => ({
		key: keyOf(entry),
		most: Number(kindOf(entry) === 'one' ? record : list),
		tokens: tokensOfText(answers[index]),
	}));
	const larger = sizes.filter(({ tokens, most }) => !(tokens <= most)).map(({ key }) => key);
	expect(larger).toEqual([
		'platformAiGateway.knowledgeBase.getEvaluations',
		'platformCompany.service.checkAccess',
		'platformDns.lookup.run',
		'platformDns.lookup.runWithResolvers',
		'platformPartners.payout.getReport',
	]);
});
