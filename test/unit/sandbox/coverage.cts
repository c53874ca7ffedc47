/** Which rows of the reference a test file has left out. */
import { endpoints } from '../../contract/contract.cts';
import type { Sandbox } from '../../sandbox/index.cts';

/** The endpoints of an area that this sandbox has not answered well so far. */
export function unansweredRows({ requests }: Sandbox, area: string): string[] {
	const answered = new Set(
		requests.filter(({ status }) => status && status < 300).map(({ endpoint }) => endpoint),
	);
	return endpoints
		.filter((endpoint) => endpoint.area === area)
		.map(({ method, path }) => `${method} ${path}`)
		.filter((row) => !answered.has(row));
}
