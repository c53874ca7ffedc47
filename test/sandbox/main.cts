/**
 * The sandbox as a process of its own, for the benchmark:
 *
 *   node --require tsx/cjs test/sandbox/main.cts --key-file PATH [options]
 *
 *   --key-file PATH   where its random key is written, readable by you alone
 *   --port N          a free one, if left out
 *   --customers N     seeded customers (10000)
 *   --latency MS      wait before every answer (0)
 *   --tls             HTTPS with a certificate made on the spot
 *   --ca-file PATH    where that certificate is written
 *   --no-check        answers are not held against the contract
 *   --no-log          requests are not logged
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startSandbox } from './index.cts';

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			'key-file': { type: 'string' },
			port: { type: 'string', default: '0' },
			customers: { type: 'string', default: '10000' },
			latency: { type: 'string', default: '0' },
			tls: { type: 'boolean' },
			'ca-file': { type: 'string' },
			'no-check': { type: 'boolean' },
			'no-log': { type: 'boolean' },
		},
	});
	const { 'key-file': keyFile, 'ca-file': caFile } = values;
	if (!keyFile) throw new Error('Name a --key-file to write to');
	const sandbox = await startSandbox({
		port: Number(values.port),
		customers: Number(values.customers),
		latencyMs: Number(values.latency),
		tls: values.tls ? true : undefined,
		check: !values['no-check'],
		log: values['no-log'] ? false : undefined,
	});
	writeFileSync(keyFile, sandbox.key, { mode: 0o600 });
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
