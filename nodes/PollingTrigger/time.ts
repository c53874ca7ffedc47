// Time: what a poll does when it has no more, and when a row was made.
import { NodeOperationError, type IDataObject } from 'n8n-workflow';

import { isTimed, type Cause } from '../engine/node/trigger';
import type { Watch } from './reading';

/**
 * Runs `read` until the time of the poll is over, or the API fails for a while (`isTimed`). The next poll can then go on from
 * there.
 * @returns true if `read` got to the end
 * @throws NodeOperationError if the time is over and nothing was read (n8n's scheduler polls again then), or else the error of
 *   `read`
 */
export async function readInTime(
	{ deadline, node }: Watch,
	read: () => Promise<void>,
	hasSome: () => boolean,
): Promise<boolean> {
	return await read().then(
		() => true,
		(error: unknown) => {
			const isOver = deadline?.aborted === true;
			if (hasSome() && (isOver || isTimed(error))) return false;
			if (!isOver) throw error;
			const message = 'The API returned no row in the time of a poll.';
			const description =
				"The next poll starts at the first page. If this happens often and n8n's scheduler polls, set N8N_SCHEDULER_POLL_TIMEOUT to more seconds.";
			const failure: Cause = { cause: 'temporarily-unavailable' };
			throw Object.assign(new NodeOperationError(node, message, { description }), { failure });
		},
	);
}

export const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const SECOND = 1000;

/** Milliseconds of a documented time: Unix seconds, or ISO 8601 with an offset. Without an offset, the time isn't known. */
function timeOf(value: unknown): number | undefined {
	if (typeof value === 'number') return value * SECOND;
	const isExact = typeof value === 'string' && /(z|[+-]\d\d:?\d\d)$/i.test(value);
	return isExact ? Date.parse(value) : undefined;
}

/** The row was made after `since`, in milliseconds, by the time that the row has. */
export function isMadeSince(
	{ event: { timeField } }: Watch,
	row: IDataObject | undefined,
	since: number,
): boolean {
	const time = timeField === undefined ? undefined : timeOf(row?.[timeField]);
	// Times may have whole seconds.
	return time !== undefined && time >= Math.floor(since / SECOND) * SECOND;
}
