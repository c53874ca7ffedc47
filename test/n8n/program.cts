// Child programs of the test bed (npm, n8n, Redis, PostgreSQL): each in a process group of its own,
// ended with this process however it ends, and with its output at hand for a clear error.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Becomes the program, after leaving a watcher behind in the same process group: when this process
 * closes the pipe, or dies without a word, the watcher asks the program to end, then ends the group.
 */
const SUPERVISED = `
exec 3<&0
( read -r _ <&3; kill -s TERM $$ 2>/dev/null && sleep 5; kill -s KILL -- -$$ ) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`;

/** Characters of output kept for error messages. */
const KEPT_OUTPUT = 400_000;

export interface ProgramOptions {
	cwd?: string;
	/** The whole environment of the program; this process's own when left out. */
	env?: NodeJS.ProcessEnv;
	/** Ends the program when aborted. */
	signal?: AbortSignal;
	/** Gets what the program prints, as it comes. */
	print?: (text: string) => void;
}

export interface Program {
	/** Process id of the program, also the id of its process group. */
	pid: number;
	/** Settles when the program has ended: its exit code, or the signal that ended it. */
	ended: Promise<number | NodeJS.Signals>;
	running(): boolean;
	/** Standard output and error so far, mixed (the last 400,000 characters). */
	output(): string;
	/** Asks the program to end and, after `graceMs` (10 s), kills it with all its children. */
	stop(graceMs?: number): Promise<void>;
	/** Kills the program and all its children at once, as `kill -9` does. */
	kill(): Promise<void>;
}

/** Starts a program without waiting for it. */
export function startProgram(
	command: string,
	args: string[],
	{ cwd, env, signal, print }: ProgramOptions = {},
): Program {
	signal?.throwIfAborted();
	const child = spawn('/bin/sh', ['-c', SUPERVISED, 'sh', command, ...args], {
		cwd,
		env: env ?? process.env,
		detached: true,
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	const pid = child.pid;
	if (pid === undefined) throw new Error(`${command} could not be started.`);

	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8');
		stream.on('data', (text: string) => {
			output = (output + text).slice(-KEPT_OUTPUT);
			print?.(text);
		});
	}
	child.stdin.on('error', () => undefined); // the watcher may be gone before the pipe is closed

	const running = () => child.exitCode === null && child.signalCode === null;
	const ended = once(child, 'exit').then(([code, endedBy]: (number | NodeJS.Signals)[]) => {
		child.stdin.destroy();
		return code ?? endedBy;
	});
	const kill = async () => {
		if (running()) process.kill(-pid, 'SIGKILL');
		await ended;
	};
	const stop = async (graceMs = 10_000) => {
		if (running()) process.kill(pid, 'SIGTERM');
		const timer = setTimeout(() => void kill(), graceMs);
		await ended;
		clearTimeout(timer);
	};
	signal?.addEventListener('abort', () => void stop(3_000), { once: true });

	return { pid, ended, running, output: () => output, stop, kill };
}

/**
 * Runs a program to its end.
 * @returns its output.
 * @throws an error with the end of its output when it fails, or the abort reason when aborted.
 */
export async function runProgram(
	command: string,
	args: string[],
	options: ProgramOptions = {},
): Promise<string> {
	const program = startProgram(command, args, options);
	const result = await program.ended;
	options.signal?.throwIfAborted();
	if (result !== 0) {
		const tail = program.output().trimEnd().split('\n').slice(-20).join('\n');
		throw new Error(`${command} ${args.join(' ')} ended with ${result}:\n${tail}`);
	}
	return program.output();
}
