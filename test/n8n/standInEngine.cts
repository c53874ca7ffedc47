// A stand-in for the docker command: it writes down its arguments, and runs the pinned n8n in place of an image.

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { ensureN8n } from './install.cts';

export const IMAGE = 'docker.n8n.io/n8nio/n8n:3';

export interface StandInEngine {
	/** A PATH that finds it first. */
	path: string;
	/** The arguments of each call so far. */
	calls(): Promise<string[][]>;
}

/**
 * Only what the arguments name reaches n8n: the environment is that of `--env`, with the PATH of an image, and the
 * folder must be mounted. An image is there once it was pulled.
 */
export async function makeStandInEngine(folder: string): Promise<StandInEngine> {
	const { node, n8n } = await ensureN8n(() => undefined);
	const [bin, log, pulled] = ['bin', 'calls.jsonl', 'pulled'].map((name) => join(folder, name));
	await mkdir(bin);
	const script = `#!${process.execPath}
const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(log)}, JSON.stringify(args) + '\\n');
const valuesOf = (name) => args.flatMap((arg, index) => (arg === name ? [args[index + 1]] : []));
if (args[0] === 'image' && !existsSync(${JSON.stringify(pulled)})) process.exit(1);
if (args[0] === 'pull') writeFileSync(${JSON.stringify(pulled)}, '');
if (args[0] === 'run') {
	const [mounted] = valuesOf('--volume').map((pair) => pair.split(':')[1]);
	const settings = Object.fromEntries(valuesOf('--env').map((pair) => pair.split(/=(.*)/s)));
	const env = { PATH: ${JSON.stringify(`${dirname(node)}:/usr/bin:/bin`)}, ...settings };
	if (!env.N8N_USER_FOLDER.startsWith(mounted)) throw new Error('The user folder is not mounted.');
	const command = args.slice(args.indexOf(${JSON.stringify(IMAGE)}) + 1);
	const n8n = spawn(${JSON.stringify(node)}, [${JSON.stringify(n8n)}, ...command], { env, stdio: 'inherit' });
	for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => n8n.kill(signal));
	n8n.on('exit', (code) => process.exit(code ?? 137));
}
`;
	await writeFile(join(bin, 'docker'), script);
	await chmod(join(bin, 'docker'), 0o755);
	return {
		path: [bin, process.env.PATH].join(delimiter),
		calls: async () => {
			const lines = (await readFile(log, 'utf8')).trim().split('\n');
			return lines.map((line) => JSON.parse(line) as string[]);
		},
	};
}
