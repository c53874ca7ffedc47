// A long list in slices: as much memory as one slice, and no more time than its slices.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../n8n/program.cts';
import type { Measurement } from './contender.cts';
import { FIXED_HEAP, startContender } from './processes.cts';
import { goal, seconds, table, times, whole, type Section } from './report.cts';

const SLICE = 10_000;

/** Slices whose mean time is that of one. */
const FEW = 5;

/** A long list, as text. */
export const slices: Section = async ({ node, quick }) => {
	const rows = quick ? 100_000 : 1_000_000;
	const args = ['--require', 'tsx/cjs', join(__dirname, 'longList.cts'), String(rows)];
	const program = startProgram(process.execPath, args);
	try {
		let baseUrl: string | undefined;
		while (!(baseUrl = /^http:\S+/m.exec(program.output())?.[0])) {
			if (!program.running()) throw new Error(`The list did not start:\n${program.output()}`);
			await sleep(50);
		}
		const service = { baseUrl, apiKey: 'key-of-the-benchmark' };
		/** Slices read one after the other by a process that has done nothing else. */
		const read = async (from: number, to: number): Promise<Measurement> => {
			const contender = await startContender(node, FIXED_HEAP);
			try {
				const work = { kind: 'list' as const, part: { from, to, size: SLICE } };
				const measured = await contender.measure({ work, service });
				if (measured.results !== to - from) throw new Error(`${measured.results} rows came`);
				return measured;
			} finally {
				contender.stop();
			}
		};
		const one = await read(0, SLICE);
		// What a process does first takes longer: so the time of a slice is that of a few.
		const few = await read(0, FEW * SLICE);
		const all = await read(0, rows);
		const peak = (each: Measurement) => each.idleMegabytes + each.peakMegabytes;
		const memory = peak(all) / peak(one);
		const kept = (all.keptMegabytes - one.keptMegabytes) / (rows / SLICE - 1);
		const time = all.milliseconds / ((few.milliseconds / FEW) * (rows / SLICE));
		const inAll = [one, few, all];
		const megabytes = (of: (each: Measurement) => number) =>
			inAll.map((each) => `${whole(of(each))} MB`);
		const sliceTimes = [1, FEW, rows / SLICE].map((count, index) =>
			seconds(inAll[index].milliseconds / count),
		);
		return [
			'## A long list in slices',
			`Slices of ${whole(SLICE)} rows, one after the other in a process of their own.`,
			table(
				['', 'One slice', `${FEW} slices`, `${whole(rows)} rows in ${whole(rows / SLICE)} slices`],
				[
					['Time', ...inAll.map(({ milliseconds }) => seconds(milliseconds))],
					['Time of a slice', ...sliceTimes],
					['Peak memory of the process', ...megabytes(peak)],
					['Of that above idle', ...megabytes(({ peakMegabytes }) => peakMegabytes)],
					['Heap in use afterwards', ...megabytes(({ keptMegabytes }) => keptMegabytes)],
				],
			),
			[
				goal(`at most 1.3 times the memory of one slice (${times(memory)})`, memory, {
					atMost: 1.3,
				}),
				goal(`a slice leaves at most 0.1 MB of the heap in use (${kept.toFixed(2)} MB)`, kept, {
					atMost: 0.1,
				}),
				goal(`at most 1.1 times the sum of the slices (${times(time)})`, time, { atMost: 1.1 }),
			].join('\n'),
		].join('\n\n');
	} finally {
		await program.stop();
	}
};
