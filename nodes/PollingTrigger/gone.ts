// Rows that a list doesn't have any more. A missing row may only be hidden, or on a page that was skipped, so it's told after
// a second complete poll and, where the API has a read by ID, if that doesn't find it either.
import type { IDataObject } from 'n8n-workflow';

import { inPool } from '../engine/base/pool';
import type { Api } from '../engine/node/trigger';
import type { GoneEvent } from './events';
import { keptIn } from './kept';
import type { KnownRows } from './packedState';
import { PARALLEL } from './reading';
import { dayOf } from './time';

/** Max reads by ID in a poll. The others are read in the next one. */
const MAX_READS = 100;

/** Marks a row that the API has, although the list doesn't. It's read once a day. */
const HIDDEN = ' hidden';

/** The list doesn't have hidden rows, but the API does. */
export interface Gone {
	told: Map<number, IDataObject>;
	hidden: KnownRows;
}

/** The rows that this complete poll and the one before miss. */
export async function goneOf(
	api: Api,
	event: GoneEvent,
	known: KnownRows,
	seen: KnownRows,
): Promise<Gone> {
	const gone: Gone = { told: new Map(), hidden: new Map() };
	const today = dayOf(Date.now());
	const missed = [...known].filter(([hash, { goneSince, status }]) => {
		const wasReadToday = status?.endsWith(HIDDEN) === true && goneSince === today;
		return goneSince !== undefined && !seen.has(hash) && !wasReadToday;
	});
	const { read } = event;
	if (!read) {
		// A list without any row is rather a fault of the API.
		const isEmpty = seen.size === 0;
		for (const [hash, state] of isEmpty ? [] : missed) gone.told.set(hash, keptIn(state, event));
		return gone;
	}
	// Begins anywhere, so that rows that can never be read don't keep others from it.
	const begin = missed.length > MAX_READS ? Math.floor(Math.random() * missed.length) : 0;
	const some = [...missed.slice(begin), ...missed.slice(0, begin)].slice(0, MAX_READS);
	await inPool(some.length, PARALLEL, async (index) => {
		const [hash, state] = some[index];
		const row = keptIn(state, event);
		const response = await api
			.ask(api.request(read.route, { [read.parameter]: String(row.id) }))
			// A row that can't be read now is read in the next poll.
			.catch(() => undefined);
		if (response?.says === 'absent') gone.told.set(hash, row);
		if (response?.says !== 'success') return;
		const status = `${String(state.status).replace(HIDDEN, '')}${HIDDEN}`;
		gone.hidden.set(hash, { ...state, status, goneSince: today });
	});
	return gone;
}
