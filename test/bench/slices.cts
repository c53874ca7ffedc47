// A long list in slices: as much memory as one slice, and no more time than its slices.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../n8n/program.cts';
import type { Measurement } from './contender.cts';
import { startContender } from './processes.cts';
import { goal, median, seconds, table, times, whole } from './report.cts';
import type { Section } from './sections.cts';

const SLICE = 10_000;

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
		const single: Measurement[] = [];
		const places = quick ? [0] : [0, 0.5, 0.9];
		for (const part of places) {
			const from = Math.floor((rows * part) / SLICE) * SLICE;
			// What a process does first takes longer: a slice is measured as one of several, too.
			single.push(await read(from, from + SLICE));
		}
		const several = await read(0, 5 * SLICE);
		const all = await read(0, rows);
		const peak = median(single.map(({ peakMegabytes }) => peakMegabytes));
		const memory = all.peakMegabytes / peak;
		const sum = (several.milliseconds / 5) * (rows / SLICE);
		const time = all.milliseconds / sum;
		return [
			'## A long list in slices',
			table(
				['', `One slice of ${whole(SLICE)}`, `${whole(rows)} rows in slices`],
				[
					['Time', seconds(several.milliseconds / 5), seconds(all.milliseconds)],
					['Peak above an idle process', `${whole(peak)} MB`, `${whole(all.peakMegabytes)} MB`],
				],
			),
			[
				goal(`at most 1.3 times the memory of one slice (${times(memory)})`, memory, {
					atMost: 1.3,
				}),
				goal(`at most 1.1 times the sum of the slices (${times(time)})`, time, { atMost: 1.1 }),
			].join('\n'),
		].join('\n\n');
	} finally {
		await program.stop();
	}
};
