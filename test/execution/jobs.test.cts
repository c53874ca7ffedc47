// The jobs of an agent: each leads to its end, in few calls and tokens.
import { offers } from '../../dist/nodes/ApiTool/catalog.js';
import { tokensOfOffer, tokensOfText } from '../../tools/tokens.cts';
import { filledIn, formOf, givenIn, jobs, type Job } from '../table/jobs.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { runTools, useTools, type Tool } from './host/tool.cts';
import { textOf, toolkitOf } from './host/toolkit.cts';

const sandbox = sandboxFor({ customers: 290 });

const named = (some: Job[]) => some.map((job) => [job.name, job] as const);

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

interface Done {
	answers: string[];
	requests: number;
	/** Of its tools and of the answers. */
	tokens: number;
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
		tokens: sum([...offered.map(tokensOfOffer), ...answers.map(tokensOfText)]),
	};
}

// The numbers of docs/contributing/builders.md.
test.each(named(jobs))('%s: in up to 4 calls and 2,000 tokens', async (_name, job) => {
	const { answers, tokens } = await done(job);
	expect(answers.at(-1)).toContain(job.ends);
	expect(answers.length).toBeLessThanOrEqual(4);
	expect(tokens).toBeLessThanOrEqual(2000);
});

test('a filter reads each page of a list once', async () => {
	const { requests } = await done(jobs.find(({ name }) => name === 'Who is late') as Job);
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

describe.each(named(jobs.filter(({ perExecution }) => !perExecution)))('%s', (_name, job) => {
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
