// Ten minutes of mixed workflows in a real n8n against a sandbox that fails 5 % of the requests.
// Every write carries a mark of its own, so that the sandbox's side tells whether what a node
// reported is what happened: nothing lost, nothing doubled.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { itemsOf, type Execution } from '../n8n/client.cts';
import { startN8n } from '../n8n/instance.cts';
import { byId, platform, rowOf, start } from '../n8n/parts.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const MINUTES = Number(values.minutes);
/** Executions at the same time. */
const PARALLEL = 3;
/** Growth of n8n's memory between the second and the last fifth of the run that counts as a leak. */
const MAX_GROWTH_MB = 150;

const MAY_BE_APPLIED = /may have gone through/;

/** Ten items with a mark each; then creates, reads, charges and a list. */
const workflow = rowOf(
	'Soak',
	start,
	{
		name: 'Items',
		type: 'n8n-nodes-base.code',
		version: 2,
		parameters: {
			jsCode:
				'return Array.from({ length: 10 }, (_, n) => ({ json: { mark: `${$execution.id}-${n}` } }));',
		},
	},
	platform('Create', 'Customers', {
		resource: 'customer',
		operation: 'create',
		email: '={{ $json.mark }}@soak.example',
		additionalFields: { externalId: '=soak-{{ $json.mark }}' },
	}),
	platform('Look up', 'Customers', {
		resource: 'customer',
		operation: 'getByExternalId',
		externalId: "=soak-{{ $('Items').item.json.mark }}",
	}),
	platform('Charge', 'Customers', {
		resource: 'charge',
		operation: 'create',
		customerId: byId('cus-100001'),
		services: {
			service: [
				{ name: "=soak-{{ $('Items').item.json.mark }}", amount: 1, taxProfile: 'standard' },
			],
		},
		requests: { maxParallel: 5 },
	}),
	platform('List', 'Customers', { resource: 'customer', operation: 'getAll', returnAll: true }),
);
for (const node of workflow.nodes.slice(2)) node.onError = 'continueRegularOutput';
workflow.nodes[5].executeOnce = true;

/** Every twentieth request fails, in four ways. */
function addFaults(sandbox: Sandbox): void {
	const every = (step: number, first: number) =>
		Array.from({ length: 5000 }, (_each, n) => first + n * step);
	sandbox.faults.add({ kind: 'status', status: 500, nth: every(80, 7) });
	sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 1, nth: every(80, 27) });
	sandbox.faults.add({ kind: 'reset-before', nth: every(80, 47) });
	sandbox.faults.add({ kind: 'reset-after', nth: every(80, 67) });
}

interface Tally {
	succeeded: number;
	failed: number;
	inDoubt: number;
	wrong: string[];
}

/** Holds what a node reported for each mark against what the sandbox has. */
function compare(
	execution: Execution,
	name: string,
	countOf: (mark: string) => number,
	tally: Tally,
): void {
	const marks = itemsOf(execution, 'Items').map(({ json }) => String(json.mark));
	itemsOf(execution, name).forEach(({ json }, index) => {
		const mark = `soak-${marks[index]}`;
		const count = countOf(mark);
		const error = typeof json.error === 'string' ? json.error : undefined;
		if (error === undefined) {
			tally.succeeded++;
			if (count !== 1) tally.wrong.push(`${name} ${mark}: reported as done, ${count} times there`);
		} else if (MAY_BE_APPLIED.test(error)) {
			tally.inDoubt++;
			if (count > 1) tally.wrong.push(`${name} ${mark}: in doubt, ${count} times there`);
		} else {
			tally.failed++;
			if (count !== 0) tally.wrong.push(`${name} ${mark}: refused, but ${count} times there`);
		}
	});
}

function memoryMb(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

const mean = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

async function soak(): Promise<void> {
	const n8n = await startN8n({ env: { EXECUTIONS_DATA_MAX_AGE: '1' } });
	const sandbox = await startSandbox({ customers: 1000, log: 1000 });
	try {
		const credential = await n8n.client.createCredential('platformApi', 'Platform API', {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.key,
		});
		const { id } = await n8n.client.importWorkflow(workflow, [credential]);
		addFaults(sandbox);
		const tallies = {
			Create: { succeeded: 0, failed: 0, inDoubt: 0, wrong: [] } as Tally,
			Charge: { succeeded: 0, failed: 0, inDoubt: 0, wrong: [] } as Tally,
		};
		const memory: number[] = [];
		let executions = 0;
		let shortLists = 0;
		const end = Date.now() + MINUTES * 60_000;
		const worker = async () => {
			while (Date.now() < end) {
				const before = sandbox.state.customers.customers.size;
				const execution = await n8n.client.runWorkflow(id, { timeoutMs: 180_000 });
				executions++;
				const { customers: all } = sandbox.state.customers;
				compare(
					execution,
					'Create',
					(mark) => (all.findBy('externalId', mark) ? 1 : 0),
					tallies.Create,
				);
				compare(
					execution,
					'Charge',
					(mark) =>
						sandbox.state.charges.charges.rows.filter(({ services }) =>
							services.some(({ name }) => name === mark),
						).length,
					tallies.Charge,
				);
				if (itemsOf(execution, 'List').length < before) shortLists++;
				memory.push(memoryMb(n8n.program.pid));
			}
		};
		await Promise.all(Array.from({ length: PARALLEL }, worker));

		const fifth = Math.max(1, Math.floor(memory.length / 5));
		const early = mean(memory.slice(fifth, 2 * fifth));
		const late = mean(memory.slice(-fifth));
		const wrong = [...tallies.Create.wrong, ...tallies.Charge.wrong];
		console.log(
			JSON.stringify(
				{
					minutes: MINUTES,
					executions,
					create: { ...tallies.Create, wrong: tallies.Create.wrong.length },
					charge: { ...tallies.Charge, wrong: tallies.Charge.wrong.length },
					listsThatLackRows: shortLists,
					problems: sandbox.problems.length,
					memoryMb: { early: Math.round(early), late: Math.round(late) },
				},
				null,
				2,
			),
		);
		for (const line of wrong.slice(0, 20)) console.error(line);
		const leaks = late - early > MAX_GROWTH_MB;
		if (leaks) console.error(`n8n's memory grew by ${Math.round(late - early)} MB`);
		if (wrong.length > 0 || shortLists > 0 || sandbox.problems.length > 0 || leaks) {
			process.exitCode = 1;
		}
	} finally {
		await n8n.stop();
		await sandbox.close();
	}
}

void soak();
