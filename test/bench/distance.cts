// The network between client and server: a relay delays each byte, so that every round trip costs what it
// costs, those of TCP and TLS too.
import { floorAtCeiling, httpRequest, ours } from './columns.cts';
import { compare, Contenders, medianOf } from './compare.cts';
import { withServer } from './processes.cts';
import { startRelay } from './relay.cts';
import { seconds, table, times, whole } from './report.cts';
import type { Section } from './sections.cts';
import { readsOf, type Work } from './work.cts';

/** Over a network, as text. */
export const distance: Section = async ({ node, quick }) => {
	const customers = quick ? 2000 : 10_000;
	const columns = [ours, httpRequest, floorAtCeiling];
	const rows: string[][] = [];
	for (const roundTrip of quick ? [40] : [20, 100]) {
		for (const tls of [false, true]) {
			await withServer({ customers, latency: 0, tls }, async (server) => {
				const relay = await startRelay(server.service.baseUrl, { roundTrip: () => roundTrip });
				const far = { ...server, service: { ...server.service, baseUrl: relay.baseUrl } };
				const contenders = new Contenders(node, { caFile: server.caFile });
				const works: Array<[string, () => Work]> = [
					[`Return All of ${whole(customers)} rows`, () => ({ kind: 'list' })],
					['300 reads', readsOf(300)],
				];
				try {
					for (const [name, work] of works) {
						const common = { contenders, server: far, columns, work };
						const results = await compare({ ...common, rounds: quick ? 1 : 3, warmUp: 1 });
						rows.push([
							`${name}, ${roundTrip} ms${tls ? ', TLS' : ''}`,
							...columns.map((column) => seconds(medianOf(results, column))),
							times(medianOf(results, ours) / medianOf(results, floorAtCeiling)),
						]);
					}
				} finally {
					contenders.stop();
					await relay.stop();
				}
			});
		}
	}
	return [
		'## Over a network',
		'The milliseconds are the round trip between client and server.',
		table(['', ...columns.map(({ title }) => title), 'against the helper'], rows),
	].join('\n\n');
};
