// With On Error: Stop Workflow, every item of a write is built and checked before the first one is sent.
import { NodeOperationError, sleep, type IExecuteFunctions } from 'n8n-workflow';

import { nodeError } from '../client/http/nodeErrors';
import { Cancelled } from '../client/http/transport';
import { inPool } from '../pool';
import { apiFor, prepareItem, runError, type Prepared } from './prepare';
import { sumOf } from './safetyLimits';
import type { Session } from './session';

/** Characters of text in a request up to which it's kept until it's sent; a bigger one is built again. */
const KEPT = 4_000;

/** Items that are checked in one go, before n8n gets a turn. */
export const IN_ONE_GO = 200;

/** Faults that the error names in full; it only counts the others. */
const NAMED = 20;

/** Whether the texts in a value are longer than `left` characters together. */
function isBig(value: unknown): boolean {
	let left = KEPT;
	const count = (each: unknown): boolean => {
		if (typeof each === 'string') left -= each.length;
		else if (typeof each === 'object' && each !== null) Object.values(each).some(count);
		return left < 0;
	};
	return count(value);
}

/** The items that were checked: those that can be sent, and what is wrong with the others. */
export class Checked {
	private readonly ready = new Map<number, Prepared>();

	readonly faults = new Map<number, Error>();

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly session: Session,
	) {}

	/**
	 * Builds and checks items.
	 * @param use is given each item that can be sent
	 */
	async check(indexes: number[], use: (item: Prepared) => void): Promise<void> {
		const signal = this.context.getExecutionCancelSignal();
		for (const [turn, index] of indexes.entries()) {
			if (turn % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
			if (signal?.aborted) throw new Cancelled();
			try {
				const item = await prepareItem(this.context, this.session, index);
				use(item);
				if (!isBig(item.request.body)) this.ready.set(index, item);
			} catch (error) {
				this.faults.set(index, error as Error);
			}
		}
	}

	/** An item to be sent: as it was checked, or built again. */
	take(index: number): Prepared | Promise<Prepared> {
		const ready = this.ready.get(index);
		this.ready.delete(index);
		return ready ?? prepareItem(this.context, this.session, index);
	}

	/** The error that names all items that can't be sent. */
	error(): Error {
		const node = this.context.getNode();
		const items = this.context.getInputData().length;
		const faults = [...this.faults];
		const [[first, fault]] = faults;
		const { action, route } = this.session.operation;
		if (items === 1) {
			return runError(this.context, this.session, fault, { itemIndex: first, items });
		}
		const named = faults.slice(0, NAMED).map(([itemIndex, error]) => {
			const { message } = nodeError(error, { node, secrets: [] });
			return `item ${itemIndex}: ${message.replace(/\.$/, '')}`;
		});
		const more = faults.length > NAMED ? `; and ${faults.length - NAMED} more` : '';
		const message = `${faults.length} of ${items} items can't be sent, so nothing was sent: ${named.join('; ')}${more}.`;
		const description = `${action}, ${route}`;
		return new NodeOperationError({ ...node, parameters: {} }, message, {
			itemIndex: first,
			description,
		});
	}
}

/** Requests at a time that ask the API for the numbers of an item. */
const PARALLEL = 5;

/**
 * What items add to the limits, by item.
 * @param measures whether a limit asks for more than their count
 */
export async function measured(
	context: IExecuteFunctions,
	session: Session,
	items: Prepared[],
	measures: boolean,
): Promise<Map<number, bigint>> {
	const sums = new Map(items.map(({ index }) => [index, 0n]));
	const { measure } = session.operation;
	if (!measure || !measures) return sums;
	await inPool(items.length, PARALLEL, async (at, run) => {
		const item = items[at];
		const numbers = await measure.of(item.request, apiFor(context, session, item, { run }));
		sums.set(item.index, sumOf(numbers));
	});
	return sums;
}
