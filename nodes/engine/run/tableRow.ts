// Rows of a write for n8n's table: what fits into a line first, the note of Dry Run last. Version 1 keeps its output.
import type { IDataObject } from 'n8n-workflow';

const isNested = ([, value]: [string, unknown]) => typeof value === 'object' && value !== null;

const isNothing = ([, value]: [string, unknown]) => value === null || value === undefined;

/** The fields of a record that fit into a line of a table. */
export const inLine = (record: IDataObject): IDataObject =>
	Object.fromEntries(Object.entries(record).filter((each) => !isNested(each)));

/** A row without the lists and objects that were sent. An API that returns them makes each row as high as its request. */
export const withoutSent = (row: IDataObject, sent: IDataObject): IDataObject =>
	Object.fromEntries(
		Object.entries(row).filter((each) => !isNested(each) || !Object.hasOwn(sent, each[0])),
	);

/**
 * Orders the fields of a row: `id`, the records that it's `about`, what is done to a record that was compared, what is known of
 * the item, what else fits into a line, what is empty, what doesn't fit. Fields of the row itself win over `told` ones.
 */
export function tableRow(row: IDataObject, told: IDataObject, about: string[]): IDataObject {
	const { id, action, changes, dryRun, ...rest } = { ...told, ...row };
	const entries = Object.entries(rest);
	const [empty, full] = [entries.filter(isNothing), entries.filter((each) => !isNothing(each))];
	const ids = full.filter(([name]) => about.includes(name));
	return {
		...(id !== undefined && { id }),
		...Object.fromEntries(ids),
		...(action !== undefined && { action }),
		...(changes !== undefined && { changes }),
		...inLine(Object.fromEntries([...full, ...empty])),
		...Object.fromEntries(full.filter(isNested)),
		...(dryRun !== undefined && { dryRun }),
	};
}
