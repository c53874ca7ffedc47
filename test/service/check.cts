// A check of a real service: asks every endpoint that only reads, holds the answers against the
// contract, and tells which open questions of the reference they close. Nothing is written to the
// service, and nothing of the account's data is shown.
//
//   PLATFORM_BASE_URL=https://api.example.com PLATFORM_API_KEY=... npm run check service
//
//   --write FILE  keeps the choices that it learned, for PLATFORM_WORLD=FILE of the sandbox
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Service } from './ask.cts';
import { isError, learn, type Learned } from './learn.cts';
import { endpointTable, questionTable, rowOf, summary, worldFile, type Row } from './report.cts';
import { walk } from './walk.cts';

/** What a check found. */
export interface Findings {
	rows: Row[];
	learned: Learned[];
	requests: number;
}

/**
 * Checks a service.
 *
 * @throws when it cannot be reached, or refuses the key
 */
export async function checkService(baseUrl: string, key: string): Promise<Findings> {
	const service = new Service(baseUrl, key);
	const ping = await service.get('/ping.json');
	if (ping.status === 401 && isError(ping.body) && ping.body.error === 'Invalid token') {
		throw new Error('The service refuses the key: it is wrong or was revoked.');
	}
	const visited = await walk(service);
	const learned = await learn(service, visited);
	return { rows: visited.map(rowOf), learned, requests: service.asked.length };
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { write: { type: 'string' } } });
	const { PLATFORM_BASE_URL: baseUrl, PLATFORM_API_KEY: key } = process.env;
	if (!baseUrl || !key) throw new Error('Set PLATFORM_BASE_URL and PLATFORM_API_KEY');
	const { rows, learned, requests } = await checkService(baseUrl, key);
	const tables = [endpointTable(rows), questionTable(learned)];
	console.log([...tables, summary(rows, learned, requests)].join('\n\n'));
	if (values.write) writeFileSync(values.write, worldFile(learned));
	process.exitCode = rows.some(({ verdict }) => verdict === 'differs') ? 1 : 0;
}

if (require.main === module) {
	main().catch((error: Error) => {
		// The address may hold more than a host: only what went wrong is told.
		const { code } = error as { code?: unknown };
		console.error(
			typeof code === 'string' ? `The service cannot be reached: ${code}` : error.message,
		);
		process.exitCode = 1;
	});
}
