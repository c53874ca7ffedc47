// Free ports on the loopback interface.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below those that Linux, macOS and Windows give to outgoing connections, which could take it first. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A file for each port that a test of this machine was given: its program may listen on it only later. */
const GIVEN = join(tmpdir(), 'platform-api-ports');

/** Milliseconds after which a program that was given a port listens on it, or has ended. */
const STARTED = 600_000;

/** A port on 127.0.0.1 that nothing listens on, and that no other test was given. */
export async function freePort(): Promise<number> {
	await mkdir(GIVEN, { recursive: true });
	for (;;) {
		const port = randomInt(LOWEST, HIGHEST);
		if ((await isPortFree(port)) && (await take(join(GIVEN, String(port))))) return port;
	}
}

/** Makes the file, unless another process has just made it. */
async function take(file: string): Promise<boolean> {
	const made = await stat(file).catch(() => undefined);
	if (made && Date.now() - made.mtimeMs > STARTED) await rm(file, { force: true });
	return await writeFile(file, '', { flag: 'wx' }).then(
		() => true,
		() => false,
	);
}

/** Whether a server could listen on this port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
		throw error;
	}
	server.close();
	await once(server, 'close');
	return true;
}
