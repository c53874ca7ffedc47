// A package registry on the loopback interface, which an n8n takes for the one it always asks.
//
// n8n asks another registry only with a licence. So nothing of n8n is changed: its requests leave
// through a proxy (HTTPS_PROXY), which leads those to the registry's host here and refuses all
// others. Nothing reaches the internet.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureN8n } from '../n8n/install.cts';
import { freePort } from '../n8n/ports.cts';
import { runProgram, startProgram } from '../n8n/program.cts';
import { PATIENCE_MS } from '../n8n/until.cts';
import { selfMadeCertificate } from '../sandbox/tls.cts';

export interface Registry {
	/** Settings with which an n8n, and the npm that it runs, find this registry. */
	env: Record<string, string>;
	/** Publishes a file made by `npm pack`. */
	publish(tarball: string): Promise<void>;
	/** Hosts that were asked for and refused. */
	refused: string[];
	stop(): Promise<void>;
}

/** Starts the registry, empty; installs its program at the first time (half a minute). */
export async function startRegistry(): Promise<Registry> {
	await ensureVerdaccio();
	// Verdaccio needs a newer Node.js than the tests, like n8n.
	const { node } = await ensureN8n(() => undefined);
	const folder = await mkdtemp(join(tmpdir(), 'registry-'));
	const stops: Array<() => Promise<void>> = [
		async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 }),
	];
	const stop = async () => {
		for (const end of stops.splice(0).reverse()) await end();
	};
	try {
		// Settings of this machine must not lead npm elsewhere; these files are not there.
		const npm = {
			npm_config_userconfig: join(folder, 'user.npmrc'),
			npm_config_globalconfig: join(folder, 'global.npmrc'),
		};
		const host = await standardRegistry(npm, folder);

		const port = await freePort();
		const verdaccio = startProgram(
			node,
			[verdaccioProgram, '--config', await configure(folder), '--listen', `127.0.0.1:${port}`],
			{ cwd: folder },
		);
		stops.push(async () => await verdaccio.stop());
		await untilAnswering(port, () => verdaccio.running(), verdaccio.output);

		const certificate = selfMadeCertificate(host);
		const certificateFile = join(folder, 'registry.crt');
		await writeFile(certificateFile, certificate.cert);
		const front = createTlsServer(certificate, (incoming, outgoing) => {
			const { method, url: path } = incoming;
			// Verdaccio makes the addresses of packages from these.
			const headers = { ...incoming.headers, host, 'x-forwarded-proto': 'https' };
			const onward = request({ host: '127.0.0.1', port, method, path, headers });
			onward.on('response', (answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				answer.pipe(outgoing);
			});
			onward.on('error', () => outgoing.destroy());
			incoming.pipe(onward);
		});
		stops.push(await listening(front));
		const refused: string[] = [];
		const proxy = proxyTo(host, (front.address() as AddressInfo).port, refused);
		stops.push(await listening(proxy));

		return {
			env: {
				...npm,
				HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
				NO_PROXY: 'localhost,127.0.0.1,.test',
				NODE_EXTRA_CA_CERTS: certificateFile,
			},
			publish: async (tarball) => {
				const args = ['publish', tarball, '--provenance=false', '--no-audit', '--loglevel=error'];
				const address = `127.0.0.1:${port}/`;
				await runProgram(
					'npm',
					[...args, `--registry=http://${address}`, `--//${address}:_authToken=anyone`],
					{ cwd: folder, env: { ...process.env, ...npm } },
				);
			},
			refused,
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

const verdaccioProgram = join(__dirname, 'node_modules', 'verdaccio', 'bin', 'verdaccio');

/** Installs the program of the registry, unless it is there. */
export async function ensureVerdaccio(): Promise<void> {
	const lock = await readFile(join(__dirname, 'package-lock.json'), 'utf8');
	const wanted = createHash('sha256').update(lock).digest('hex');
	const stampFile = join(__dirname, 'node_modules', '.ready');
	if ((await readFile(stampFile, 'utf8').catch(() => '')) === wanted) return;
	await runProgram('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: __dirname,
	});
	await writeFile(stampFile, wanted);
}

/** Verdaccio's settings: anyone may publish, and nothing comes from elsewhere. */
async function configure(folder: string): Promise<string> {
	const file = join(folder, 'config.yaml');
	await mkdir(join(folder, 'storage'));
	const settings = {
		storage: join(folder, 'storage'),
		auth: { htpasswd: { file: join(folder, 'htpasswd') } },
		uplinks: {},
		packages: { '**': { access: '$all', publish: '$all', unpublish: '$all' } },
		log: { type: 'stdout', level: 'warn' },
		web: { enable: false },
	};
	// JSON is YAML.
	await writeFile(file, JSON.stringify(settings));
	return file;
}

/** Host of the registry that npm, and n8n, ask unless they are told otherwise. */
async function standardRegistry(settings: NodeJS.ProcessEnv, cwd: string): Promise<string> {
	const inherited = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
	const env = { ...Object.fromEntries(inherited), ...settings };
	const printed = await runProgram('npm', ['config', 'get', 'registry'], { cwd, env });
	const address = printed.split('\n').find((line) => line.startsWith('https://'));
	return new URL(String(address)).host;
}

/** A proxy that leads tunnels to one host to a port of this machine and opens no others. */
function proxyTo(host: string, port: number, refused: string[]): Server {
	return createServer((_incoming, outgoing) => outgoing.writeHead(403).end()).on(
		'connect',
		({ url }, client, head) => {
			client.on('error', () => undefined);
			if (url !== `${host}:443`) {
				refused.push(String(url));
				client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
				return;
			}
			const tunnel = connect(port, '127.0.0.1', () => {
				client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
				tunnel.write(head);
				tunnel.pipe(client).pipe(tunnel);
			});
			tunnel.on('error', () => client.destroy());
			client.on('close', () => tunnel.destroy());
		},
	);
}

/** Listens on a free port; returns how to end it. */
async function listening(server: Server): Promise<() => Promise<void>> {
	const open = new Set<{ destroy(): void }>();
	server.on('connection', (socket) => {
		open.add(socket);
		socket.on('close', () => open.delete(socket));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return async () => {
		const closed = once(server, 'close');
		server.close();
		for (const socket of open) socket.destroy();
		await closed;
	};
}

async function untilAnswering(
	port: number,
	running: () => boolean,
	output: () => string,
): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	for (;;) {
		const answers = await fetch(`http://127.0.0.1:${port}/-/ping`).then(
			({ ok }) => ok,
			() => false,
		);
		if (answers) return;
		if (!running() || Date.now() > deadline) {
			throw new Error(`The registry did not start:\n${output().slice(-2000)}`);
		}
		await sleep(100);
	}
}
