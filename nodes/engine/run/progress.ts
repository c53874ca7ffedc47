// Logs how far a run is, and what a cancelled run has sent. The editor shows no progress of a node, and
// n8n keeps no output of a cancelled one.
import type { IExecuteFunctions } from 'n8n-workflow';

import { pageOf } from '../client/list/page';
import { onAbort } from '../base/pool';
import type { Ledger } from './ledger';

/** Milliseconds between two lines in the log. */
const INTERVAL = 30_000;

export class Progress {
	private done = 0;

	private pages = 0;

	private due = performance.now() + INTERVAL;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly action: string,
	) {}

	itemDone(): void {
		this.done++;
		this.tell();
	}

	pageRead(body: unknown): void {
		this.pages++;
		this.tell(body);
	}

	private tell(body?: unknown): void {
		const now = performance.now();
		if (now < this.due) return;
		this.due = now + INTERVAL;
		const { pages, done } = this;
		const items = this.context.getInputData().length;
		const all = items === 1 ? lastPage(body) : undefined;
		const read = `, ${pages}${all === undefined ? '' : ` of ${all}`} pages read`;
		const { name } = this.context.getNode();
		const text = `${done} of ${items} items done${pages > 0 ? read : ''}`;
		this.context.logger.info(`${name}: ${this.action}: ${text}`);
	}

	/**
	 * Logs what a run of writes has sent when it's cancelled.
	 * @returns ends the watch
	 */
	watch(ledger: Ledger): () => void {
		const signal = this.context.getExecutionCancelSignal();
		if (!signal) return () => {};
		return onAbort(signal, () => {
			const { name } = this.context.getNode();
			const sent = ledger.text() || 'Nothing was sent.';
			this.context.logger.warn(`${name}: ${this.action} was cancelled. ${sent}`);
		});
	}
}

/** Number of pages of a list, if the body of one page has it. */
function lastPage(body: unknown): number | undefined {
	const { last, count, perPage } = pageOf({ body, rows: [] });
	return last ?? (count && perPage ? Math.ceil(count / perPage) : undefined);
}
