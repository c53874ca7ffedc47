// A world checked: all checks in one sandbox, and what fails reduced to the choices that make it.
import { unusual, usualWorld, type DimensionName, type World } from '../contract/worlds.cts';
import { Bench, type Check } from './bench.cts';
import { editorChecks } from './editor.cts';
import { listChecks } from './lists.cts';
import { operationChecks } from './operations.cts';
import { serviceChecks } from './service.cts';
import { triggerChecks } from './triggers.cts';
import { writeChecks } from './writes.cts';

/** All checks, in an order in which none takes away what a later one needs. */
export const checks: Check[] = [
	...serviceChecks,
	...listChecks,
	...editorChecks,
	...writeChecks,
	...triggerChecks,
	...operationChecks,
];

/** A check that does not hold in a world. */
export interface Failure {
	check: string;
	/** What went wrong. */
	message: string;
	/** The newest request when it did. */
	request: string;
}

/** Runs checks one after the other. */
export async function checkWorld(
	world: World,
	chosen: readonly Check[] = checks,
): Promise<Failure[]> {
	const bench = await Bench.open(world);
	const failures: Failure[] = [];
	try {
		for (const check of chosen) {
			bench.sandbox.clearRequests();
			bench.sandbox.problems.splice(0);
			const message = await check.run(bench).then(
				// The service itself must stay within what the reference allows.
				() => bench.sandbox.problems.find((problem) => /^Answer|^Sandbox/.test(problem)),
				(error: Error) => error.message,
			);
			bench.sandbox.faults.clear();
			if (message !== undefined) {
				failures.push({ check: check.name, message, request: bench.lastRequest });
			}
		}
	} finally {
		await bench.close();
	}
	return failures;
}

/** The choices of a world in these dimensions, the usual ones in all others. */
const restricted = (world: World, names: readonly DimensionName[]): World =>
	Object.assign({}, usualWorld, Object.fromEntries(names.map((name) => [name, world[name]])));

/** What makes a check fail. */
export interface Cause extends Failure {
	/** The choices that are needed; none when it fails in the usual world too. */
	choices: Partial<Record<DimensionName, string>>;
	/** It fails only after other checks in the same sandbox. */
	onlyAfterOthers?: boolean;
}

/**
 * The smallest set of choices with which a check still fails: one dimension after the other goes
 * back to its usual choice, and stays there while the check fails.
 */
export async function causeOf(world: World, failure: Failure): Promise<Cause> {
	const check = checks.filter(({ name }) => name === failure.check);
	const failsIn = async (names: readonly DimensionName[]) =>
		(await checkWorld(restricted(world, names), check)).at(0);
	let names = unusual(world);
	let found = await failsIn(names);
	if (!found) {
		const choices = Object.fromEntries(names.map((name) => [name, world[name]]));
		return { ...failure, choices, onlyAfterOthers: true };
	}
	const none = await failsIn([]);
	if (none) return { ...none, choices: {} };
	for (const name of unusual(world)) {
		const fewer = names.filter((other) => other !== name);
		const still = await failsIn(fewer);
		if (still) {
			names = fewer;
			found = still;
		}
	}
	return { ...found, choices: Object.fromEntries(names.map((name) => [name, world[name]])) };
}
