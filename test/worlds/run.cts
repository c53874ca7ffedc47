// Many worlds, in processes side by side: which checks fail, and with which choices.
//
//   npm run check worlds -- [--seeds 4] [--from 1] [--processes 2] [--check pattern]
//
//   --seeds N        how many worlds (4)
//   --from S         the first seed; a new one each time, if left out
//   --processes N    side by side (as many as there are cores)
//   --check pattern  only the checks whose name matches
import '../execution/host/environment.cts';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { worldFrom } from '../contract/worlds.cts';
import { causeOf, checks, checkWorld } from './world.cts';

/** Failures that are looked into in one world; there are more worlds. */
const CAUSES = 6;

/** Checks the world of a seed, and tells what fails with the choices that make it. */
async function check(seed: number, pattern: string): Promise<void> {
	const world = worldFrom(seed);
	const chosen = checks.filter(({ name }) => new RegExp(pattern).test(name));
	const failures = await checkWorld(world, chosen);
	console.log(`seed ${seed}: ${failures.length > 0 ? `${failures.length} failures` : 'holds'}`);
	for (const failure of failures.slice(0, CAUSES)) {
		const { choices, message, request, onlyAfterOthers } = await causeOf(world, failure);
		const named = Object.entries(choices).map(([name, choice]) => `${name} = ${choice}`);
		const when = onlyAfterOthers ? ', only after other checks' : '';
		const title = `${named.join(', ') || 'in the usual world'}${when}`;
		console.log(`  ${failure.check}\n    ${title}\n    ${message}\n    ${request}`);
	}
	process.exitCode = failures.length > 0 ? 1 : 0;
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			seeds: { type: 'string', default: '4' },
			from: { type: 'string', default: String(1 + Math.floor(Math.random() * 1_000_000)) },
			processes: { type: 'string', default: String(Math.min(availableParallelism(), 8)) },
			check: { type: 'string', default: '' },
		},
	});
	const from = Number(values.from);
	const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => from + index);
	console.log(`${seeds.length} worlds from seed ${from}, ${checks.length} checks each`);
	const queue = [...seeds];
	let failed = 0;
	const work = async () => {
		for (let seed = queue.shift(); seed !== undefined; seed = queue.shift()) {
			const args = ['of', String(seed), values.check];
			const [code] = (await once(
				fork(__filename, args, { execArgv: ['--require', 'tsx/cjs'] }),
				'exit',
			)) as [number | null];
			if (code !== 0) failed += 1;
		}
	};
	await Promise.all(Array.from({ length: Number(values.processes) }, work));
	console.log(`\n${seeds.length - failed} of ${seeds.length} worlds hold`);
	process.exitCode = failed > 0 ? 1 : 0;
}

const [, , command, seed, pattern] = process.argv;
const done = command === 'of' ? check(Number(seed), pattern) : main();
done.then(
	// What a check has left open must not keep the process.
	() => process.exit(),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
