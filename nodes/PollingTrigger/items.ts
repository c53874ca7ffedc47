// Rows -> the items that start the workflow, and the samples of a manual execution.
import { NodeOperationError, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { rawPathsOf, withNames } from '../api/names';
import { FieldFault } from '../engine/base/apiRequest';
import { firstOf } from '../engine/base/data';
import { changedFields } from './fieldHashes';
import { foundIn, isWanted, statusIn, toldOf, unseenIn, warnFirst } from './filter';
import type { RowState } from './packedState';
import { renewalIn } from './payments';
import { readFirst, type Watch, type WatchedRow } from './reading';

const SAMPLES = 5;

/** @param earlier state before the change. Without it the row is new: `previousStatus` is null, and all fields are changed. */
export function toItem(
	watch: Watch,
	{ id, row, renewal, ...now }: RowState & Pick<WatchedRow, 'id' | 'row' | 'renewal'>,
	earlier?: RowState,
): INodeExecutionData {
	const { event, isSimple, request } = watch;
	const shown = (raw?: IDataObject) =>
		(isSimple && event.simplify ? event.simplify([raw], request)[0] : raw) as IDataObject;
	const json: IDataObject = { event: event.value, id, detectedAt: new Date().toISOString() };
	if (event.statusOf) {
		const previousStatus = earlier ? statusIn(watch, earlier.status) : null;
		Object.assign(json, { status: statusIn(watch, now.status), previousStatus });
	}
	if (event.isPayment) {
		json.from = shown(renewalIn(earlier?.status ?? null));
		json.to = shown(renewalIn(now.status));
		if (renewal?.warning) json.warning = renewal.warning;
	}
	if (event.reportsNew) json.isNew = earlier === undefined;
	if (event.isUpdate) {
		// The state has the names of simplified output. Other output has those of the API.
		const nameOf = isSimple ? (name: string) => name : rawPathsOf(row ?? {});
		json.changed = changedFields(now, earlier).map(nameOf).sort();
	}
	return { json: { ...json, data: shown(row) } };
}

/** One row of each status comes first, so that samples reach every branch of a workflow. */
function varied(watch: Watch, rows: WatchedRow[]): WatchedRow[] {
	const statuses = rows.map(({ status, row }) =>
		watch.event.isUpdate ? row?.status : statusIn(watch, status),
	);
	const first = rows.filter((_row, index) => statuses.indexOf(statuses[index]) === index);
	return [...first, ...rows.filter((row) => !first.includes(row))];
}

/** Up to `SAMPLES` items for a manual execution, as if new. Throws if no row matches, or none has a field to watch. */
export async function samples(watch: Watch): Promise<INodeExecutionData[]> {
	const { rows, withoutId } = await readFirst(watch);
	const found = watch.event.isUpdate
		? // Also those that aren't watched, or have no value.
			new Set(rows.flatMap(({ row = {} }) => Object.keys(withNames(row))))
		: foundIn(watch, rows);
	const unseen = rows.length > 0 ? unseenIn(watch, found) : [];
	if (watch.event.isUpdate && unseen.length > 0) {
		const all = firstOf([...found].sort(), 30);
		const fault = `has "${unseen[0]}", which none of the first rows has. They have ${all}`;
		throw new FieldFault('Fields to Watch', fault);
	}
	const wanted = rows.filter(({ status }) => isWanted(watch, status));
	if (wanted.length > 0) {
		const items = varied(watch, wanted)
			.slice(0, SAMPLES)
			.map((row) => toItem(watch, row));
		warnFirst(watch, items, unseen, found);
		return items;
	}
	const unwatched = withoutId > 0 ? ` ${withoutId} of them have no ID and can't be watched.` : '';
	const typed = unseen.length > 0 ? ` The trigger ${toldOf(watch, unseen, found)}` : '';
	throw new NodeOperationError(
		watch.node,
		`No sample found for '${watch.event.name}': none of the first rows of the list match.${unwatched}${typed}`,
	);
}
