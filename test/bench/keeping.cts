// Keeping customers in step with a sheet of which little has changed: what differs, beside sending all of it.
import { control, startContender, withServer } from './processes.cts';
import { goal, seconds, table, times, whole, type Section } from './report.cts';
import { nightOf } from './work.cts';

const CHANGED = 20;

/** A night, as text. */
export const keeping: Section = async ({ node, quick }) => {
	const count = quick ? 1_000 : 10_000;
	const options = { customers: count, latency: 20, log: true };
	return await withServer(options, async (server) => {
		const sent = async () => ((await control(server, 'GET', '/requests')) as unknown[]).length;
		const night = async (all: boolean) => {
			const before = await sent();
			// Memory counts, so each night has a process of its own.
			const contender = await startContender(node);
			const work = nightOf(count, CHANGED, all);
			try {
				const measured = await contender.measure({ work, service: server.service });
				if (measured.results !== count) throw new Error(`${measured.results} records`);
				return { ...measured, requests: (await sent()) - before };
			} finally {
				contender.stop();
			}
		};
		// The first night gives all their names.
		await night(true);
		const [all, few] = [await night(true), await night(false)];
		const memory = few.peakMegabytes / all.peakMegabytes;
		const both = (title: string, of: (each: typeof all) => string) => [title, of(all), of(few)];
		return [
			'## Keeping customers in step',
			`${whole(count)} rows, of which ${CHANGED} have changed, in a list of ${whole(count)} customers. The API takes ${options.latency} ms.`,
			table(
				['', 'Each record is sent', 'Only what differs'],
				[
					both('Requests', ({ requests }) => whole(requests)),
					both('Time', ({ milliseconds }) => seconds(milliseconds)),
					both('Peak memory above idle', ({ peakMegabytes }) => `${whole(peakMegabytes)} MB`),
				],
			),
			[
				goal(`at most 200 requests (${few.requests})`, few.requests, { atMost: 200 }),
				goal(`at most 1.1 times the memory (${times(memory)})`, memory, { atMost: 1.1 }),
			].join('\n'),
		].join('\n\n');
	});
};
