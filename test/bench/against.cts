// This build beside another one of the package, such as that of the commit before: the same work, so
// without Simplify, which not every build has. The goals are about processor time: time varies by more than
// they allow.
import { compare, Contenders, medianOf, type Column } from './compare.cts';
import { FIXED_HEAP, withServer } from './processes.cts';
import { goal, seconds, table, times, whole } from './report.cts';
import { createsOf, readsOf, type Work } from './work.cts';

/**
 * Time and memory of both, as text.
 * @param other folder with the `dist` of the other build
 */
export async function against(other: string, node: string, quick: boolean): Promise<string> {
	const columns: Column[] = [
		{ title: 'Now', way: 'wholeRows' },
		{ title: 'Before', way: 'wholeRows', build: other },
	];
	const [now, before] = columns;
	const works: Array<[string, number, () => Work]> = [
		['10,000 items', 10_000, readsOf(10_000)],
		['10,000 creates', 1, createsOf(10_000)],
		['Return All of 10,000 rows', 10_000, () => ({ kind: 'list' })],
		['Return All of 100,000 rows', 100_000, () => ({ kind: 'list' })],
	];
	const warm = new Contenders(node);
	// A process that has done nothing else, since the memory that it once took it keeps.
	const fresh = new Contenders(node, { flags: FIXED_HEAP });
	const rows: string[][] = [];
	const goals: string[] = [];
	for (const [name, customers, work] of works) {
		await withServer({ customers, latency: 0 }, async (server) => {
			const base = { server, columns, work };
			const rounds = quick ? 5 : 21;
			const timed = await compare({ ...base, contenders: warm, rounds, warmUp: 1 });
			const memories = quick ? 1 : 3;
			const sized = await compare({ ...base, contenders: fresh, rounds: memories, fresh: true });
			const timeOf = (column: Column) => medianOf(timed, column);
			const memoryOf = (column: Column) => medianOf(sized, column, 'peakMegabytes');
			const processorOf = (column: Column) => medianOf(timed, column, 'processorMilliseconds');
			const time = timeOf(now) / timeOf(before);
			const processor = processorOf(now) / processorOf(before);
			const memory = memoryOf(now) / memoryOf(before);
			rows.push([
				name,
				...columns.map((column) => seconds(timeOf(column))),
				times(time),
				...columns.map((column) => seconds(processorOf(column))),
				times(processor),
				...columns.map((column) => `${whole(memoryOf(column))} MB`),
				times(memory),
			]);
			goals.push(
				goal(`${name}: no more processor time (${times(processor)})`, processor, { atMost: 1.05 }),
				goal(`${name}: no more memory (${times(memory)})`, memory, { atMost: 1.05 }),
			);
		}).finally(() => warm.stop());
	}
	return [
		'## Beside another build',
		table(
			['', ...['Time', 'Processor', 'Memory'].flatMap((what) => ['Now', 'Before', what])],
			rows,
		),
		goals.join('\n'),
	].join('\n\n');
}
