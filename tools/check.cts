// `npm run check <name> ...`: the named checks one after the other, and a last line that says what passed.
//
//   npm run check                        the names
//   npm run check e2e customers          what comes after the names goes to the commands of the first check
//   npm run check n8n e2e beside tests   two rows of checks at the same time; where both can go on, the first row does
//
// CHECK_UNTIL, in seconds since 1970, is when all have to be over, so that there is an answer in time.
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { checks, type Check, type CheckName } from './checks.cts';

const ROOT = join(__dirname, '..');

const UNTIL = Number(process.env.CHECK_UNTIL ?? Infinity) * 1000;

/** Between rows of checks that run at the same time. */
const BESIDE = 'beside';

interface Ending {
	name: CheckName;
	seconds: number;
	/** Undefined for one that passed. */
	fault?: string;
	/** The lines of its output, in a row beside others. */
	said: string[];
}

/** Lines of jest that begin what it says of a file that failed, and that end it. */
const FAILED = /^FAIL /;
const ENDED = /^(PASS|Test Suites:) /;

/** Max lines of each such file in the report. */
const OF_FILE = 12;

/** Lines at the end of the output of a failed check that the report shows. */
const LAST = 6;

const isName = (word: string): word is CheckName => word in checks;

/** Runs a command with all its children; what is wrong, if anything is. */
async function faultOf(
	command: string[],
	env: Check['env'],
	until: number,
	print?: (line: string) => void,
): Promise<string | undefined> {
	const left = until - Date.now();
	if (left <= 0) return 'no time was left';
	const [program, ...args] = command;
	const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
	const output = print ? 'pipe' : 'inherit';
	const child = spawn(program, args, {
		cwd: ROOT,
		detached: true,
		env: { ...process.env, PATH: path, ...env },
		stdio: ['ignore', output, output],
	});
	for (const input of [child.stdout, child.stderr]) {
		if (input && print) createInterface({ input }).on('line', print);
	}
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

/**
 * @param prefix of its lines, in a row beside others
 * @param isLater others go first where they are at the same time
 */
async function run(
	name: CheckName,
	args: string[],
	prefix: string | undefined,
	isLater: boolean,
): Promise<Ending> {
	const { commands, minutes = Infinity, env }: Check = checks[name];
	console.log(`=== ${name}`);
	const begin = Date.now();
	const until = Math.min(UNTIL, begin + minutes * 60_000);
	const said: string[] = [];
	const print = (line: string) => {
		console.log(`${prefix}${line}`);
		said.push(line);
	};
	let fault: string | undefined;
	for (const command of commands) {
		fault ??= await faultOf(
			[...(isLater ? ['nice', '-n', '5'] : []), ...command, ...args],
			env,
			until,
			prefix === undefined ? undefined : print,
		);
	}
	return { name, seconds: Math.round((Date.now() - begin) / 1000), fault, said };
}

/** What has to be made before a check, of those that are run with these names. */
function neededBy(name: CheckName, names: CheckName[]): CheckName[] {
	const needs = ({ needs = [] }: Check) => needs;
	const isBuilt = names.some((each) => needs(checks[each]).includes('build'));
	return needs(checks[name]).flatMap((need): CheckName[] => {
		if (need === 'n8n') return names.includes(need) ? [need] : [];
		return [isBuilt ? 'build' : 'compile'];
	});
}

/** What jest says of each file that failed, shortened. */
function faultsIn(said: string[]): string[] {
	let left = 0;
	return said.filter((line) => {
		if (FAILED.test(line)) left = OF_FILE;
		else if (ENDED.test(line)) left = 0;
		return !/^\s*(at .*)?$/.test(line) && left-- > 0;
	});
}

const listed = (endings: Ending[]) => endings.map(({ name }) => name).join(', ');

function report(endings: Ending[]): void {
	const seconds = Math.round(process.uptime());
	const failed = endings.filter(({ fault }) => fault !== undefined);
	console.log('');
	for (const { name, seconds: own, fault = 'passed' } of endings) {
		const { minutes }: Check = checks[name];
		const bound = minutes === undefined ? '' : `of ${60 * minutes}`;
		console.log(`${String(own).padStart(5)} s ${bound.padEnd(8)} ${name.padEnd(10)} ${fault}`);
	}
	for (const { name, said } of failed) {
		const passed = said.flatMap((line) => /^PASS \S+\/(\S+)\.test/.exec(line)?.[1] ?? []);
		const lines = [...faultsIn(said), ...said.slice(-LAST)];
		console.log([`--- ${name}; passed: ${passed.join(' ') || 'none'}`, ...lines].join('\n'));
	}
	if (failed.length === 0) console.log(`Passed in ${seconds} s: ${listed(endings)}`);
	else console.log(`FAILED in ${seconds} s: ${listed(failed)}`);
	if (failed.length > 0) process.exitCode ??= 1;
}

async function main(words: string[]): Promise<void> {
	const end = words.findIndex((word) => !isName(word) && word !== BESIDE);
	const named = end < 0 ? words : words.slice(0, end);
	const names = named.filter(isName);
	const [first] = names;
	if (first === undefined) {
		for (const [name, { says }] of Object.entries(checks))
			console.log(`${name.padEnd(10)} ${says}`);
		if (words.length > 0) throw new Error(`There is no check ${words[0]}`);
		return;
	}
	const args = words.slice(named.length);
	const endings: Ending[] = [];
	const rows = named.join(' ').split(BESIDE);
	const begun = new Map<CheckName, Promise<void>>();
	/** A check is made once, whoever needs it. */
	const made = async (name: CheckName) => {
		const ending =
			begun.get(name) ??
			run(
				name,
				name === first ? args : [],
				rows.length > 1 ? `${name.padEnd(8)} | ` : undefined,
				rows.slice(1).some((row) => row.split(' ').includes(name)),
			).then((each) => void endings.push(each));
		begun.set(name, ending);
		await ending;
	};
	await Promise.all(
		rows.map(async (row) => {
			for (const name of row.split(' ').filter(isName)) {
				const needed = neededBy(name, names);
				for (const each of needed) await made(each);
				// Nothing can be said without what it needs.
				if (endings.some((each) => needed.includes(each.name) && each.fault)) return;
				if (process.exitCode !== undefined) return;
				await made(name);
			}
		}),
	);
	report(endings);
}

main(process.argv.slice(2)).catch(({ message }: Error) => {
	console.error(message);
	process.exitCode = 1;
});
