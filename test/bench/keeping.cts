// Keeping customers in step with a sheet of which little has changed: what differs, beside sending all of it.
import { compare, Contenders, medianOf, type Column } from './compare.cts';
import { control, withServer, type Server } from './processes.cts';
import { goal, seconds, table, times, whole, type Section } from './report.cts';
import { nightOf } from './work.cts';

const CHANGED = 20;

const before: Column = { title: 'Each record is sent', way: 'sendingAll' };
const now: Column = { title: 'Only what differs', way: 'platformCustomers' };

const sentTo = async (server: Server): Promise<number> =>
	((await control(server, 'GET', '/requests')) as unknown[]).length;

/** A night, as text. */
export const keeping: Section = async ({ node, quick }) => {
	const count = quick ? 1_000 : 10_000;
	const contenders = new Contenders(node);
	const options = { customers: count, latency: 20, log: true };
	return await withServer(options, async (server) => {
		const work = nightOf(count, CHANGED);
		const night = async (column: Column) => {
			const sent = await sentTo(server);
			const columns = [column];
			// Memory counts, so each night has a process of its own.
			const results = await compare({ contenders, server, columns, work, rounds: 1, fresh: true });
			return {
				requests: (await sentTo(server)) - sent,
				milliseconds: medianOf(results, column),
				megabytes: medianOf(results, column, 'peakMegabytes'),
			};
		};
		// The first night gives all their names.
		const all = await night(before).then(async () => await night(before));
		const few = await night(now);
		const memory = few.megabytes / all.megabytes;
		return [
			'## Keeping customers in step',
			`${whole(count)} rows, of which ${CHANGED} have changed, in a list of ${whole(count)} customers. The API takes ${options.latency} ms.`,
			table(
				['', before.title, now.title],
				[
					['Requests', whole(all.requests), whole(few.requests)],
					['Time', seconds(all.milliseconds), seconds(few.milliseconds)],
					['Peak memory above idle', `${whole(all.megabytes)} MB`, `${whole(few.megabytes)} MB`],
				],
			),
			[
				goal(`at most 200 requests (${few.requests})`, few.requests, { atMost: 200 }),
				goal(`at most 1.1 times the memory (${times(memory)})`, memory, { atMost: 1.1 }),
			].join('\n'),
		].join('\n\n');
	}).finally(() => contenders.stop());
};
