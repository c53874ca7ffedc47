// Tells n8n's log how far a run by hand is, since n8n's editor shows only a spinner for a node that runs.
import type { IExecuteFunctions } from 'n8n-workflow';

/** Milliseconds between two texts about a run. */
const EVERY = 5_000;

const counted = (count: number) => count.toLocaleString('en-US');

function durationText(seconds: number): string {
	return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

export class Progress {
	private readonly begin = Date.now();

	private told = this.begin;

	private items = 0;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly size: number,
	) {}

	next(): void {
		this.items++;
		const now = Date.now();
		const isDue = now - this.told >= EVERY && this.items < this.size;
		if (!isDue) return;
		this.told = now;
		const seconds = (now - this.begin) / 1000;
		const left = durationText((seconds / this.items) * (this.size - this.items));
		const text = `${counted(this.items)} of ${counted(this.size)} items, about ${left} left`;
		this.context.logger.info(`${this.context.getNode().name}: ${text}`);
	}
}
