// What follows if a field gives nothing, for each field of each operation: the record in the docs, which a test holds.
import type { Field } from '../nodes/engine/form/fields.ts';
import { slots } from '../test/table/leaves.cts';
import { table } from '../test/table/operations.cts';

/** What follows, as the declaration of a field says. */
export type End = 'required' | 'refused' | 'clears' | 'left out';

export function endOf({ required, send }: Field): End {
	if (required) return 'required';
	const { empty = 'left out' } = send || {};
	return empty === 'refusedInForm' ? 'refused' : empty;
}

/** The fields of each operation that have a value to send, with those in rows and collections. */
const declared = table.map((entry) => ({
	entry,
	fields: slots(entry.operation).map(({ field }) => field),
}));

/** A field in the record. The star is for one that a model may leave blank. */
const nameOf = ({ displayName, send }: Field): string =>
	`${displayName}${send && send.empty === 'refusedInForm' ? '\\*' : ''}`;

/** A row for each operation, without its required fields. */
export function emptyFieldsTable(): string {
	const rows = declared.flatMap(({ entry, fields }) => {
		const named = (end: End) => fields.filter((field) => endOf(field) === end).map(nameOf);
		const cells = (['refused', 'clears', 'left out'] as const).map((end) => named(end).join(', '));
		return cells.every((cell) => cell === '')
			? []
			: [`| ${[entry.title.replace('Platform ', ''), ...cells].join(' | ')} |`];
	});
	const all = declared.flatMap(({ fields }) => fields);
	const count = (end: End) => all.filter((field) => endOf(field) === end).length;
	const sums = (['refused', 'clears', 'left out'] as const).map(count);
	return [
		'| Operation | Refused | Clears | Left out |',
		'| --- | --- | --- | --- |',
		...rows,
		`| ${declared.length} operations with ${all.length} fields, ${count('required')} of them required | ${sums.join(' | ')} |`,
	].join('\n');
}
