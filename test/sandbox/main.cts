/**
 * The sandbox as a process of its own:
 *
 *   node --require tsx/cjs test/sandbox/main.cts --port 5680 [options]
 *
 *   --customers N          seeded customers (10000)
 *   --latency MS           wait before every answer (0)
 *   --settle-after MS      when a charge comes out paid or failed (1000)
 *   --tls                  HTTPS with a certificate made on the spot
 *   --ca-file PATH         where that certificate is written
 *   --key-file PATH        where the key is written, readable by you alone
 *   --no-check             answers are not held against the contract
 *   --no-log               requests are not logged
 *   --receiver-ca PATH     CA certificate of webhook receivers
 *   --insecure-receivers   webhook receivers may have any certificate
 *   --world NAME           how open questions are decided: a seed, or a file that check:service
 *                          wrote; else PLATFORM_WORLD, else the usual way
 *
 * The key comes from SANDBOX_API_KEY; without it, a random one is written to --key-file. It is
 * never printed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { worldNamed } from '../contract/worlds.cts';
import { startSandbox } from './index.cts';

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '5680' },
			customers: { type: 'string', default: '10000' },
			latency: { type: 'string', default: '0' },
			'settle-after': { type: 'string', default: '1000' },
			tls: { type: 'boolean' },
			'ca-file': { type: 'string' },
			'key-file': { type: 'string' },
			'no-check': { type: 'boolean' },
			'no-log': { type: 'boolean' },
			'receiver-ca': { type: 'string' },
			'insecure-receivers': { type: 'boolean' },
			world: { type: 'string', default: process.env.PLATFORM_WORLD },
		},
	});
	const key = process.env.SANDBOX_API_KEY;
	const keyFile = values['key-file'];
	if (!key && !keyFile) throw new Error('Set SANDBOX_API_KEY, or name a --key-file to write to');
	const receiverCa = values['receiver-ca'];
	const sandbox = await startSandbox({
		port: Number(values.port),
		key: key || undefined,
		customers: Number(values.customers),
		world: values.world ? worldNamed(values.world) : undefined,
		latencyMs: Number(values.latency),
		settleAfterMs: Number(values['settle-after']),
		tls: values.tls ? true : undefined,
		check: !values['no-check'],
		log: values['no-log'] ? false : undefined,
		deliveries: {
			ca: receiverCa && readFileSync(receiverCa, 'utf8'),
			rejectUnauthorized: values['insecure-receivers'] ? false : undefined,
		},
	});
	if (keyFile) writeFileSync(keyFile, sandbox.key, { mode: 0o600 });
	const caFile = values['ca-file'];
	if (caFile && sandbox.caCertificate) writeFileSync(caFile, sandbox.caCertificate);

	const stop = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	console.log(sandbox.baseUrl);
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
