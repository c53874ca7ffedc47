// A relay between clients and the server that behaves like a network, or like a server that can take only
// so much. n8n opens a connection for each request, so connections are requests in flight.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RelayOptions {
	/** Milliseconds that each byte takes to the server and back, by the connections that there are. */
	roundTrip?: (connections: number) => number;
	/** Connections at most: who comes then is answered 429. */
	most?: number;
}

export interface Relay {
	baseUrl: string;
	/** How many were refused. */
	refused(): number;
	stop(): Promise<void>;
}

const REFUSAL =
	'HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 1\r\n' +
	'connection: close\r\ncontent-length: 29\r\n\r\n{"error":"Too many requests"}';

/** Passes bytes on in their order, each one as late as the way takes. */
function passOn(from: Socket, to: Socket, way: () => number, first = 0): void {
	let line = sleep(first);
	from.on('data', (bytes) => {
		const arrived = Date.now() + way();
		line = line.then(async () => {
			const left = arrived - Date.now();
			if (left > 0) await sleep(left);
			if (to.writable) to.write(bytes);
		});
	});
	from.on('close', () => void line.then(() => to.end()));
	from.on('error', () => to.destroy());
}

/** Starts a relay in this process. @param target base URL of the server */
export async function startRelay(
	target: string,
	{ roundTrip = () => 0, most = Infinity }: RelayOptions,
): Promise<Relay> {
	const { protocol, hostname, port } = new URL(target);
	let connections = 0;
	let refused = 0;
	const relay = createServer((client) => {
		client.on('error', () => client.destroy());
		if (connections >= most) {
			refused++;
			client.once('data', () => client.end(REFUSAL));
			return;
		}
		connections++;
		client.once('close', () => connections--);
		const server = connect(Number(port), hostname);
		const way = () => roundTrip(connections) / 2;
		// A connection takes a round trip before its first byte.
		passOn(client, server, way, roundTrip(connections));
		passOn(server, client, way);
	});
	await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
	return {
		baseUrl: `${protocol}//127.0.0.1:${(relay.address() as AddressInfo).port}`,
		refused: () => refused,
		stop: async () => await new Promise<void>((resolve) => relay.close(() => resolve())),
	};
}
