// Redis and PostgreSQL of our own, on free ports of the loopback interface, with throw-away data.

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './ports.cts';
import { type Program, runProgram, startProgram } from './program.cts';
import { untilReady } from './until.cts';

export interface Database {
	port: number;
	program: Program;
	/** Ends the server and removes its data. */
	stop(): Promise<void>;
}

/** The only user of the PostgreSQL server; it needs no password. */
const POSTGRES_USER = 'n8n';

/** Settings of an n8n that keeps its data there. */
export const postgresSettings = ({ port }: Database): Record<string, string> => ({
	DB_TYPE: 'postgresdb',
	DB_POSTGRESDB_HOST: '127.0.0.1',
	DB_POSTGRESDB_PORT: String(port),
	// Every new server has it.
	DB_POSTGRESDB_DATABASE: 'postgres',
	DB_POSTGRESDB_USER: POSTGRES_USER,
});

export async function startRedis(): Promise<Database> {
	const server = findProgram('redis-server', 'redis-server', pathFolders());
	const port = await freePort();
	const program = startProgram(server, [
		...['--bind', '127.0.0.1'],
		...['--port', String(port)],
		...['--save', ''],
		...['--appendonly', 'no'],
	]);
	await untilReady('Redis', program, () =>
		program.output().includes('Ready to accept connections'),
	);
	return { port, program, stop: program.kill };
}

export async function startPostgres(): Promise<Database> {
	const folders = [...(await postgresFolders()), ...pathFolders()];
	const initdb = findProgram('initdb', 'postgresql', folders);
	const postgres = findProgram('postgres', 'postgresql', folders);
	const folder = await mkdtemp(join(tmpdir(), 'postgres-'));

	// PostgreSQL refuses to run as root; Debian's package brings a user for it.
	const asRoot = process.getuid?.() === 0;
	const user = asRoot
		? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--']
		: ['env'];
	if (asRoot) await runProgram('chown', ['postgres:postgres', folder]);
	const data = join(folder, 'data');
	const run = (program: string, ...args: string[]): [string, string[]] => [
		user[0],
		[...user.slice(1), program, ...args],
	];
	await runProgram(
		...run(initdb, '-D', data, '-U', POSTGRES_USER, '-A', 'trust', '-E', 'UTF8', '--no-sync'),
		{ cwd: folder },
	);

	const port = await freePort();
	const settings = {
		listen_addresses: '127.0.0.1',
		port,
		unix_socket_directories: '',
		fsync: 'off',
	};
	const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const program = startProgram(...run(postgres, '-D', data, ...flags), { cwd: folder });
	const stop = async () => {
		await program.kill();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		await untilReady('PostgreSQL', program, () =>
			program.output().includes('ready to accept connections'),
		);
	} catch (error) {
		await stop();
		throw error;
	}
	return { port, program, stop };
}

function pathFolders(): string[] {
	return (process.env.PATH ?? '').split(delimiter);
}

/** Debian keeps PostgreSQL's programs out of the PATH, in a folder for each version. */
async function postgresFolders(): Promise<string[]> {
	const root = '/usr/lib/postgresql';
	const versions = await readdir(root).catch(() => []);
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(root, version, 'bin'));
}

function findProgram(name: string, debianPackage: string, folders: string[]): string {
	const found = folders.map((folder) => join(folder, name)).find(existsSync);
	if (!found) {
		throw new Error(
			`${name} not found: install Debian's package ${debianPackage} ` +
				`(apt-get install ${debianPackage}).`,
		);
	}
	return found;
}
