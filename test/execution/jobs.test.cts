// The jobs of an agent: each leads to its end, in few calls and tokens. docs/contributing/builders.md shows how many.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { offers } from '../../dist/nodes/ApiTool/catalog.js';
import { tokensOfOffer, tokensOfText } from '../../tools/tokens.cts';
import { filledIn, formOf, givenIn, jobs, type Job } from '../table/jobs.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { runTools, useTools, type Tool } from './host/tool.cts';
import { textOf, toolkitOf } from './host/toolkit.cts';

const sandbox = sandboxFor({ customers: 290 });

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

interface Done {
	answers: string[];
	requests: number;
	tokens: { tools: number; answers: number };
}

/** Does a job: each answer leads to the next call. */
async function done(job: Job, isWebhook = false): Promise<Done> {
	const steps = job.steps(givenIn(sandbox()));
	const form = formOf(job, steps);
	sandbox().clearRequests();
	const answers: string[] = [];
	const use = async (found: Record<string, Tool>) => {
		for (const { after = '', tool, args } of steps) {
			expect(answers.at(-1) ?? '').toContain(after);
			const given = filledIn(args, answers);
			answers.push(await found[tool].invoke(given).catch((error: Error) => error.message));
		}
	};
	await useTools([toolkitOf(form)], credentialOf(sandbox()), use, { isWebhook });
	const offered = offers.filter(({ name }) => form.operations.includes(name));
	return {
		answers,
		requests: sandbox().requests.length,
		tokens: { tools: sum(offered.map(tokensOfOffer)), answers: sum(answers.map(tokensOfText)) },
	};
}

const measured = new Map<string, Done>();

test.each(jobs.map((job) => [job.name, job] as const))('%s', async (name, job) => {
	const result = await done(job);
	expect(result.answers.at(-1)).toContain(job.ends);
	measured.set(name, result);
});

test.each(jobs.filter(({ before }) => before).map((job) => [job.name, job] as const))(
	'%s: half of the calls and a third of the tokens of before',
	(name, { before }) => {
		const { answers, tokens } = measured.get(name) as Done;
		expect(answers.length).toBeLessThanOrEqual((before?.calls ?? 0) / 2);
		expect(tokens.tools + tokens.answers).toBeLessThanOrEqual((before?.tokens ?? 0) / 3);
	},
);

test('each call reads the pages that it needs', () => {
	const { answers, requests, tokens } = measured.get('Who is late') as Done;
	expect(answers.length).toBeLessThanOrEqual(3);
	expect(tokens.answers).toBeLessThanOrEqual(2000);
	const { length } = sandbox().state.subscriptions.subscriptions.rows;
	expect(length).toBeGreaterThan(220);
	expect(requests).toBeLessThanOrEqual(2 * Math.ceil(length / 100));
});

test('a long list is read in parts with one request for each', async () => {
	const requests: number[] = [];
	const ids: string[] = [];
	await useTools([toolkitOf({})], credentialOf(sandbox()), async ({ list_customers }) => {
		for (let skip = 0; skip < 230; skip += 10) {
			sandbox().clearRequests();
			const rows = JSON.parse(await list_customers.invoke({ skip })) as object[];
			ids.push(...rows.flatMap((row) => ('id' in row ? [String(row.id)] : [])));
			requests.push(sandbox().requests.length);
		}
	});
	expect(new Set(ids).size).toBe(ids.length);
	const { rows } = sandbox().state.customers.customers;
	expect(ids).toEqual(rows.slice(0, 230).map(({ id }) => id));
	// Those of the last page, which isn't full, look at the first one, too.
	expect(sum(requests)).toBeLessThanOrEqual(requests.length + 3);
});

test('fields that no row has cost no rows', async () => {
	await useTools([toolkitOf({})], credentialOf(sandbox()), async ({ list_customers }) => {
		const rows = JSON.parse(await list_customers.invoke({ fields: ['nope'] })) as object[];
		expect(rows).toEqual([
			{
				note: expect.stringMatching(
					/^\d+ more are not shown: .* No row has nope\. There are: id, /,
				),
			},
		]);
	});
});

const everywhere = jobs.filter(({ perExecution }) => !perExecution);

describe.each(everywhere.map((job) => [job.name, job] as const))('%s', (_name, job) => {
	test('as an MCP client', async () => {
		expect((await done(job, true)).answers.at(-1)).toContain(job.ends);
	});

	test('by the engine', async () => {
		const steps = job.steps(givenIn(sandbox()));
		const answers: string[] = [];
		for (const { after = '', tool, args } of steps) {
			expect(answers.at(-1) ?? '').toContain(after);
			const input = { ...filledIn(args, answers), tool } as never;
			const tools = [toolkitOf(formOf(job, steps))];
			const calls = [[{ node: 'Tool 1', input }]];
			const [[answer]] = await runTools(tools, credentialOf(sandbox()), calls);
			answers.push(textOf(answer));
		}
		expect(answers.at(-1)).toContain(job.ends);
	});
});

// Made by WRITE_JOBS=1 npx jest test/execution/jobs
test('the page shows what they take', () => {
	const page = join(__dirname, '../../docs/contributing/builders.md');
	const text = readFileSync(page, 'utf8');
	/** IDs and times of the sandbox vary a little. */
	const round = (tokens: number) => Math.max(1, Math.round(tokens / 50)) * 50;
	const rows = jobs.map(({ name }) => {
		const { answers, tokens } = measured.get(name) as Done;
		return `| ${name} | ${answers.length} | ${round(tokens.tools)} | ${round(tokens.answers)} |`;
	});
	const table = [
		'| Job | Calls | Tokens of its tools | Tokens of the answers |',
		'| --- | --: | --: | --: |',
		...rows,
	].join('\n');
	const [begin, end] = ['<!-- jobs: made by a test, begin -->', '<!-- jobs: end -->'];
	const made = `${begin}\n\n<!-- oxfmt-ignore -->\n${table}\n\n${end}`;
	const block = new RegExp(`${begin}[^]*${end}`);
	const written = text.replace(block, () => made);
	if (process.env.WRITE_JOBS) writeFileSync(page, written);
	else expect(text).toBe(written);
});
