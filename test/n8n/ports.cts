// Free ports on the loopback interface.

import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port on 127.0.0.1 that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
	return (await listenOnce(0))!;
}

/** Whether a server could listen on this port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
	return (await listenOnce(port)) !== undefined;
}

/** Listens on a port for a moment: the port, or undefined when it is taken. */
async function listenOnce(port: number): Promise<number | undefined> {
	const server = createServer().listen(port, '127.0.0.1');
	try {
		await once(server, 'listening');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
		throw error;
	}
	const address = server.address();
	server.close();
	await once(server, 'close');
	return typeof address === 'object' ? address?.port : undefined;
}
