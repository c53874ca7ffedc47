// Many worlds, in processes side by side: which checks fail, and with which choices.
//
//   npm run test:worlds -- [--seeds 200] [--from 1] [--processes 2] [--check pattern]
//
//   --seeds N        how many worlds (50)
//   --from S         the first seed; a new one each time, if left out
//   --processes N    side by side (as many as there are cores)
//   --check pattern  only the checks whose name matches
//   --first          ends with the first world that fails, without a search for its choices
import '../execution/host/environment.cts';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { worldFrom } from '../contract/worlds.cts';
import { causeOf, checks, checkWorld, hasCause, type Cause } from './world.cts';

interface Options {
	first: boolean;
	pattern: string;
}

/** To a worker. */
interface Job {
	seed: number;
	/** Causes that are known so far: what has one of them is not looked into again. */
	known: Cause[];
}

/** From a worker. */
interface Result {
	seed: number;
	milliseconds: number;
	causes: Cause[];
}

/** Causes that are looked for in one world; there are more worlds. */
const CAUSES = 6;

async function work({ first, pattern }: Options, { seed, known }: Job): Promise<Result> {
	const begin = Date.now();
	const world = worldFrom(seed);
	const chosen = checks.filter(({ name }) => new RegExp(pattern).test(name));
	const failures = await checkWorld(world, chosen);
	const milliseconds = Date.now() - begin;
	if (first) {
		return { seed, milliseconds, causes: failures.map((each) => ({ ...each, choices: {} })) };
	}
	const causes: Cause[] = [];
	let sought = 0;
	for (const failure of failures) {
		const all = [...known, ...causes];
		const cause = all.find((each) => each.check === failure.check && hasCause(world, each));
		if (cause) causes.push(cause);
		else if (sought < CAUSES) {
			sought += 1;
			causes.push(await causeOf(world, failure, all));
		}
	}
	return { seed, milliseconds, causes };
}

const titleOf = ({ choices, onlyAfterOthers }: Cause): string => {
	const entries = Object.entries(choices).map(([name, choice]) => `${name} = ${choice}`);
	const title = entries.join(', ') || 'in the usual world';
	return onlyAfterOthers
		? `only after other checks, in the whole world of the seed: ${title}`
		: title;
};

/** Failures by the choices that make them. */
function report(found: Map<string, { cause: Cause; seeds: number[] }>): string {
	const titles = [...new Set([...found.values()].map(({ cause }) => titleOf(cause)))].sort();
	return titles
		.map((title) => {
			const lines = [...found.values()]
				.filter(({ cause }) => titleOf(cause) === title)
				.map(({ cause: { check, message, request }, seeds }) => {
					const more = seeds.length > 1 ? ` and ${seeds.length - 1} more` : '';
					return `  ${check}\n    ${message}\n    ${request} (seed ${seeds[0]}${more})`;
				});
			return `${title}\n${lines.join('\n')}`;
		})
		.join('\n\n');
}

function startWorker(options: Options): ChildProcess {
	return fork(__filename, ['worker', JSON.stringify(options)], {
		execArgv: ['--require', 'tsx/cjs'],
		stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
	});
}

/** Hands out the seeds to workers, and takes what they find. */
async function runAll(options: Options, seeds: number[], processes: number) {
	const found = new Map<string, { cause: Cause; seeds: number[] }>();
	let [done, failed, spent] = [0, 0, 0];
	const queue = [...seeds];
	const serve = async () => {
		const worker = startWorker(options);
		const ended = once(worker, 'exit').then(() => undefined);
		for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
			const known = [...found.values()].map(({ cause }) => cause);
			worker.send({ seed, known } satisfies Job);
			const answer = once(worker, 'message') as Promise<[Result]>;
			const [result] = (await Promise.race([answer, ended])) ?? [];
			if (!result) throw new Error(`The worker ended at seed ${seed}`);
			if (options.first && result.causes.length > 0) queue.length = 0;
			done += 1;
			failed += Math.sign(result.causes.length);
			spent += result.milliseconds;
			for (const cause of result.causes) {
				const key = `${cause.check}\n${titleOf(cause)}`;
				if (!found.has(key)) console.log(`  ${titleOf(cause)}: ${cause.check}`);
				const entry = found.get(key) ?? { cause, seeds: [] };
				entry.seeds.push(result.seed);
				found.set(key, entry);
			}
			const failures = result.causes.length > 0 ? `${result.causes.length} failures` : 'holds';
			console.log(
				`${done}/${seeds.length} seed ${result.seed}: ${failures}, ${result.milliseconds} ms`,
			);
		}
		worker.disconnect();
	};
	await Promise.all(Array.from({ length: processes }, serve));
	return { found, failed, average: Math.round(spent / Math.max(done, 1)) };
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			seeds: { type: 'string', default: '50' },
			from: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
			processes: { type: 'string', default: String(Math.min(availableParallelism(), 8)) },
			check: { type: 'string', default: '' },
			first: { type: 'boolean', default: false },
		},
	});
	const from = Number(values.from);
	const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => from + index);
	console.log(`${seeds.length} worlds from seed ${from}, ${checks.length} checks each`);
	const options = { first: values.first, pattern: values.check };
	const { found, failed, average } = await runAll(options, seeds, Number(values.processes));
	if (found.size > 0) console.log(`\n${report(found)}`);
	console.log(`\n${seeds.length - failed} of ${seeds.length} worlds hold, ${average} ms each`);
	process.exitCode = failed > 0 ? 1 : 0;
}

if (process.argv[2] === 'worker') {
	const options = JSON.parse(process.argv[3]) as Options;
	process.on('message', (job: Job) => {
		work(options, job).then(
			(result) => process.send?.(result),
			(error: unknown) => {
				console.error(error);
				process.exit(1);
			},
		);
	});
	process.once('disconnect', () => process.exit());
} else {
	main().catch((error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	});
}
