// Ways side by side: in turn, round by round, so that what disturbs the machine disturbs them all.
import type { Measurement } from './contender.cts';
import { startContender, type Contender, type Server } from './processes.cts';
import { median } from './report.cts';
import type { WayName } from './ways.cts';
import type { Work } from './work.cts';

/** A way with its settings: a column of a table. */
export interface Column {
	title: string;
	way: WayName;
	parallel?: number;
}

/** The contenders of several comparisons, one process for each column. */
export class Contenders {
	private readonly running = new Map<Column, Contender>();

	/** @param node Node.js for the processes */
	constructor(private readonly node: string) {}

	async of(column: Column): Promise<Contender> {
		const contender = this.running.get(column) ?? (await startContender(this.node));
		this.running.set(column, contender);
		return contender;
	}

	stop(): void {
		for (const contender of this.running.values()) contender.stop();
		this.running.clear();
	}
}

export interface Comparison {
	contenders: Contenders;
	server: Server;
	columns: Column[];
	work: () => Work;
	rounds: number;
	/** Rounds before those that count. */
	warmUp?: number;
	/** A new process for each measurement, where memory counts. */
	fresh?: boolean;
}

export type Results = Map<Column, Measurement[]>;

function expected(work: Work, { customers }: Server): number {
	if (work.kind === 'list') return customers;
	if (work.kind === 'keep') return work.companies.length;
	return work.kind === 'read' ? work.ids.length : work.emails.length;
}

/** Measures every column in every round. @throws when a way did not do its work */
export async function compare(comparison: Comparison): Promise<Results> {
	const { contenders, server, columns, rounds, warmUp = 0, fresh } = comparison;
	const results: Results = new Map(columns.map((column) => [column, []]));
	const measure = async (column: Column): Promise<Measurement> => {
		const { way, parallel, title } = column;
		const work = comparison.work();
		const contender = await contenders.of(column);
		const measured = await contender.measure({ way, parallel, work, service: server.service });
		if (measured.results !== expected(work, server)) {
			throw new Error(`${title} gave ${measured.results} results`);
		}
		return measured;
	};
	for (let round = -warmUp; round < rounds; round++) {
		// What a column gets depends on the one before it: each is the first one in its turn.
		const first = (round + warmUp) % columns.length;
		for (const column of [...columns.slice(first), ...columns.slice(0, first)]) {
			try {
				const measured = await measure(column);
				if (round >= 0) results.get(column)?.push(measured);
			} finally {
				if (fresh) contenders.stop();
			}
		}
	}
	return results;
}

/** Median of what the rounds of a column gave. */
export function medianOf(
	results: Results,
	column: Column,
	what: 'milliseconds' | 'peakMegabytes' = 'milliseconds',
): number {
	return median((results.get(column) ?? []).map((measured) => measured[what]));
}
