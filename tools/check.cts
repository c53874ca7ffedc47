// `npm run check <name> ...`: the named checks one after the other, and a last line that says what passed.
//
//   npm run check                        the names
//   npm run check e2e customers          what comes after the names goes to the commands of the first check
//
// CHECK_UNTIL, in seconds since 1970, is when all have to be over, so that there is an answer in time.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { checks, type Check, type CheckName } from './checks.cts';

const ROOT = join(__dirname, '..');

const UNTIL = Number(process.env.CHECK_UNTIL ?? Infinity) * 1000;

interface Ending {
	name: CheckName;
	seconds: number;
	/** Undefined for one that passed. */
	fault?: string;
	/** What failed has passed when it ran once more. */
	isSecond?: boolean;
}

const isName = (word: string): word is CheckName => word in checks;

/** Runs a command with all its children; what is wrong, if anything is. */
async function faultOf(
	command: string[],
	env: Check['env'],
	until: number,
): Promise<string | undefined> {
	const left = until - Date.now();
	if (left <= 0) return 'no time was left';
	const [program, ...args] = command;
	const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
	const child = spawn(program, args, {
		cwd: ROOT,
		detached: true,
		env: { ...process.env, PATH: path, ...env },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const end = (signal: NodeJS.Signals) => {
		if (child.pid !== undefined) process.kill(-child.pid, signal);
	};
	const interrupt = (signal: NodeJS.Signals) => {
		end(signal);
		process.exitCode = 130;
	};
	let isLate = false;
	const timer = setTimeout(
		() => {
			isLate = true;
			end('SIGKILL');
		},
		Math.min(left, 2 ** 31 - 1),
	);
	process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
	const code = await new Promise<number | string>((resolve) => {
		child.once('error', ({ message }) => resolve(message));
		child.once('exit', (status, signal) => resolve(status ?? signal ?? 'unknown'));
	});
	clearTimeout(timer);
	process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
	if (isLate) return 'did not end in time';
	return code === 0 ? undefined : `ended with ${code}`;
}

/** The test files that have failed. None if jest has ended before its results: then nothing is known of the others. */
function failedIn(results: string | undefined): string[] {
	if (results === undefined || !existsSync(results)) return [];
	const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
		testResults: Array<{ name: string; status: string }>;
	};
	return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

async function run(name: CheckName, args: string[]): Promise<Ending> {
	const { commands, minutes = Infinity, env, results }: Check = checks[name];
	const begin = Date.now();
	const until = Math.min(UNTIL, begin + minutes * 60_000);
	let fault: string | undefined;
	for (const command of commands) {
		fault ??= await faultOf([...command, ...args], env, until);
	}
	const failed = fault !== undefined && process.exitCode === undefined ? failedIn(results) : [];
	const isSecond = failed.length > 0;
	if (isSecond) {
		console.log(`=== ${name}, once more what has failed`);
		fault = await faultOf([...commands[0], '--runTestsByPath', ...failed], env, until);
	}
	if (results) rmSync(results, { force: true });
	return { name, seconds: Math.round((Date.now() - begin) / 1000), fault, isSecond };
}

/** The names with the build before the first that needs it. */
function withBuild(names: CheckName[]): CheckName[] {
	const first = names.findIndex((name) => (checks[name] as Check).built);
	if (first < 0 || names.slice(0, first).includes('build')) return names;
	return [...names.slice(0, first), 'build', ...names.slice(first)];
}

const listed = (endings: Ending[]) => endings.map(({ name }) => name).join(', ');

function report(endings: Ending[]): void {
	const seconds = Math.round(process.uptime());
	const failed = endings.filter(({ fault }) => fault !== undefined);
	console.log('');
	for (const { name, seconds: own, fault, isSecond } of endings) {
		const passed = isSecond ? 'passed, some of it the second time: see above' : 'passed';
		console.log(`${String(own).padStart(5)} s  ${name.padEnd(10)} ${fault ?? passed}`);
	}
	if (failed.length === 0) console.log(`Passed in ${seconds} s: ${listed(endings)}`);
	else console.log(`FAILED in ${seconds} s: ${listed(failed)}`);
	if (failed.length > 0) process.exitCode ??= 1;
}

async function main(words: string[]): Promise<void> {
	const end = words.findIndex((word) => !isName(word));
	const names = (end < 0 ? words : words.slice(0, end)).filter(isName);
	const [first] = names;
	if (first === undefined) {
		for (const [name, { says }] of Object.entries(checks))
			console.log(`${name.padEnd(10)} ${says}`);
		if (words.length > 0) throw new Error(`There is no check ${words[0]}`);
		return;
	}
	const args = words.slice(names.length);
	const endings: Ending[] = [];
	/** What others run beside, to leave no core idle. */
	const long: Array<Promise<Ending>> = [];
	for (const name of withBuild(names)) {
		console.log(`=== ${name}`);
		const running = run(name, name === first ? args : []);
		if ((checks[name] as Check).isLong) {
			long.push(running);
			continue;
		}
		const ending = await running;
		endings.push(ending);
		// Nothing can be said without a build, nor after an interruption.
		if (process.exitCode !== undefined || (name === 'build' && ending.fault)) break;
	}
	report([...endings, ...(await Promise.all(long))]);
}

main(process.argv.slice(2)).catch(({ message }: Error) => {
	console.error(message);
	process.exitCode = 1;
});
