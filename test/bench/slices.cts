// A long list in slices: as much memory as one slice, and no more time than its slices.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../n8n/program.cts';
import type { Measurement } from './contender.cts';
import { startContender } from './processes.cts';
import { goal, seconds, table, times, whole } from './report.cts';
import type { Section } from './sections.cts';

const SLICE = 10_000;

/** Slices that stand for one. */
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
			const contender = await startContender(node);
			try {
				const work = { kind: 'list' as const, part: { from, to, size: SLICE } };
				const measured = await contender.measure({ way: 'slices', work, service });
				if (measured.results !== to - from) throw new Error(`${measured.results} rows came`);
				return measured;
			} finally {
				contender.stop();
			}
		};
		// A process that has read one slice has not yet given its heap the size that it settles at, and what
		// it does first takes longer: so the measure of one slice is a process that read a few of them.
		const few = await read(0, FEW * SLICE);
		const all = await read(0, rows);
		const memory = all.peakMegabytes / few.peakMegabytes;
		const kept = (all.keptMegabytes - few.keptMegabytes) / (rows / SLICE - FEW);
		const time = all.milliseconds / ((few.milliseconds / FEW) * (rows / SLICE));
		const megabytes = (value: number) => `${whole(value)} MB`;
		return [
			'## A long list in slices',
			`Slices of ${whole(SLICE)} rows, one after the other in a process of their own.`,
			table(
				['', `${FEW} slices`, `${whole(rows)} rows in ${whole(rows / SLICE)} slices`],
				[
					['Time', seconds(few.milliseconds), seconds(all.milliseconds)],
					[
						'Time of a slice',
						...[few.milliseconds / FEW, (all.milliseconds / rows) * SLICE].map(seconds),
					],
					[
						'Peak above an idle process',
						...[few, all].map((each) => megabytes(each.peakMegabytes)),
					],
					['Heap in use afterwards', ...[few, all].map((each) => megabytes(each.keptMegabytes))],
				],
			),
			[
				goal(`at most 1.3 times the memory of ${FEW} slices (${times(memory)})`, memory, {
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
