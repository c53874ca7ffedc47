// Which code of the nodes each test file executes, and for how long, from one run of all of them (executed.mjs writes it).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Executed {
	/** A test file, from the root. */
	test: string;
	seconds: number;
	/** The process that ran it, with others. */
	pid: number;
	/** From, to and how often, of each function and block of a source of the nodes, by offsets of its compiled code. */
	files: Record<string, Range[]>;
}

/** What a run wrote into a folder. */
export const executedIn = (folder: string): Executed[] =>
	readdirSync(folder).map((name) => {
		const pid = parseInt(name, 10);
		const { testPath, ...others } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
		// From its last folder of that name, since a copy is somewhere else.
		return { ...others, pid, test: testPath.slice(testPath.lastIndexOf('/test/') + 1) };
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
 * Tests that execute an offset of the compiled code of a file, those that do little else first. What runs as modules are loaded
 * runs once for all tests of a process, so it concerns all tests, the quick ones first.
 */
export function testsOf(all: Executed[], file: string, offset: number): string[] {
	const found = all.filter((each) => countAt(each, file, offset) > 0);
	const processes = new Set(all.map(({ pid }) => pid)).size;
	const isLoading = found.length > 0 && found.length <= processes;
	const ranges = (each: Executed, own: string) =>
		(each.files[own] ?? []).filter(([, , count]) => count > 0).length;
	const order = new Map(
		found.map((each) => {
			const others = Object.keys(each.files).reduce((sum, own) => sum + ranges(each, own), 0);
			return [each.test, (ranges(each, file) + 1) / (others + 1) / (each.seconds + 1)];
		}),
	);
	const others = isLoading
		? [...all].sort((one, other) => one.seconds - other.seconds).map(({ test }) => test)
		: [];
	const specific = [...order.keys()].sort((one, other) => order.get(other)! - order.get(one)!);
	return [...new Set([...specific, ...others])];
}
