// Which code of the nodes each test file executes, and for how long, from one run of all of them (executed.mjs writes it).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Executed {
	/** A test file, from the root. */
	test: string;
	seconds: number;
	/** From, to and how often, of each function and block of a source of the nodes, by offsets of its compiled code. */
	files: Record<string, Range[]>;
}

/** What a run wrote into a folder. */
export const executedIn = (folder: string): Executed[] =>
	readdirSync(folder).map((name) => {
		const { testPath, ...others } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
		// From its last folder of that name, since a copy is somewhere else.
		return { ...others, test: testPath.slice(testPath.lastIndexOf('/test/') + 1) };
	});

/** How long a test file took. */
export const secondsOf = (all: Executed[], test: string): number =>
	all.find((each) => each.test === test)?.seconds ?? 0;

type Range = [from: number, to: number, count: number];

/** How often the innermost block at an offset ran; a module itself runs once for all tests of a process. */
function countAt({ files }: Executed, file: string, offset: number): number {
	let inner: Range = [-Infinity, Infinity, 0];
	for (const range of files[file] ?? []) {
		const [from, to] = range;
		const isAround = from <= offset && offset < to;
		if (isAround && to - from < inner[1] - inner[0]) inner = range;
	}
	return inner[2];
}

/** True if a test executes an offset of the compiled code of a file. */
export const isExecutedIn = (all: Executed[], file: string, offset: number): boolean =>
	all.some((each) => countAt(each, file, offset) > 0);

/**
 * Tests that execute an offset of the compiled code of a file, those that do little else first. What runs as a module is
 * loaded concerns all tests that run a function of it, and all at all if it has none.
 */
export function testsOf(all: Executed[], file: string, offset: number): string[] {
	const inFunctions = all.filter(({ files }) =>
		(files[file] ?? []).some(([from, , count]) => from > 0 && count > 0),
	);
	const loaders = all.filter((each) => countAt(each, file, offset) > 0);
	const isOfModule = loaders.every(({ files }) =>
		files[file].every(([from, to]) => from === 0 || offset < from || to <= offset),
	);
	const found =
		isOfModule && loaders.length > 0 ? (inFunctions.length > 0 ? inFunctions : all) : loaders;
	const ranges = (each: Executed, own: string) =>
		(each.files[own] ?? []).filter(([, , count]) => count > 0).length;
	const order = new Map(
		found.map((each) => {
			const others = Object.keys(each.files).reduce((sum, own) => sum + ranges(each, own), 0);
			return [each.test, (ranges(each, file) + 1) / (others + 1) / (each.seconds + 1)];
		}),
	);
	return [...order.keys()].sort((one, other) => order.get(other)! - order.get(one)!);
}
