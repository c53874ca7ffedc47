// What is filled in field by field, or given all at once as JSON.
import {
	choice,
	json,
	type About,
	type Field,
	type FixedCollection,
	type SingleField,
} from './fields';

interface Choice extends Omit<About<SingleField>, 'options'> {
	/** What its options say. */
	ways?: { fields?: string; json?: string };
}

/**
 * Two ways to fill something in: the choice between them, then each of them where it is chosen.
 * @param things what the choice calls it
 */
export function specify(
	things: string,
	{ ways = {}, ...about }: Choice,
	inFields: Field,
	inJson: Field,
): Field[] {
	const shown = (way: string) => ({ displayOptions: { show: { [about.name]: [way] } } });
	return [
		choice({
			displayName: `Specify ${things}`,
			default: 'fields',
			send: false,
			...about,
			options: [
				{ name: 'Using Fields Below', value: 'fields', description: ways.fields },
				{ name: 'Using JSON', value: 'json', description: ways.json },
			],
		}),
		{ ...inFields, ...shown('fields') },
		{ ...inJson, ...shown('json') },
	];
}

/** Rows as data: JSON, or an expression for a number of them that varies. */
export const asJson = (rows: FixedCollection, hint: string): SingleField =>
	json({
		displayName: `${rows.displayName} (JSON)`,
		name: `${rows.name}Json`,
		default: '',
		required: rows.required,
		send: { ...rows.send, as: (rows.send && rows.send.as) || rows.name, rows },
		description: `${rows.description ?? rows.displayName}, as JSON or from an expression. Each row is checked.`,
		hint: `For example ${hint}`,
	});

export function specified(rows: FixedCollection, hint: string): Field[] {
	const about = {
		name: `${rows.name}As`,
		noDataExpression: true,
		description: `How to enter the ${rows.displayName.toLowerCase()}. JSON takes an expression with any number of them.`,
	};
	return specify(rows.displayName, about, rows, asJson(rows, hint));
}
