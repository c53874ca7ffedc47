// Lets the user enter the same data either in form fields or as JSON.
import {
	choice,
	json,
	type About,
	type Field,
	type FixedCollection,
	type SingleField,
} from './fields';

interface Choice extends Omit<About<SingleField>, 'options'> {
	/** Descriptions of the options. */
	ways?: { fields?: string; json?: string };
}

/**
 * Returns the choice, and a field for each of its options.
 * @param things name of the data, for the label of the choice
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

/** JSON in place of rows, for example from an expression that returns any number of them. */
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
