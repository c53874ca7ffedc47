// Lets the user enter the same data either in form fields or as JSON. Few people use JSON, so it's an option.
import {
	choice,
	json,
	type About,
	type Field,
	type FixedCollection,
	type SingleField,
} from './fields';

interface Choice extends Omit<About<SingleField>, 'options'> {
	ways?: { fields?: string; json?: string };
}

/** Form fields, JSON, and the choice of one, whose label names the `things`. New nodes have the JSON in Options instead. */
export function specify(
	things: string,
	{ ways = {}, ...about }: Choice,
	inFields: Field,
	inJson: Field,
): Field[] {
	const shown = (way: string) => ({ displayOptions: { show: { [about.name]: [way] } } });
	return [
		{ ...inFields, ...shown('fields') },
		{ ...inJson, ...shown('json'), inOptions: true },
		choice({
			displayName: `Specify ${things}`,
			noDataExpression: true,
			chosenBy: { option: inJson.name, is: 'json' },
			default: 'fields',
			send: false,
			...about,
			options: [
				{ name: 'Using Fields', value: 'fields', description: ways.fields },
				{ name: 'Using JSON', value: 'json', description: ways.json },
			],
		}),
	];
}

const asJson = (rows: FixedCollection, hint: string): SingleField =>
	json({
		displayName: `${rows.displayName} (JSON)`,
		name: `${rows.name}Json`,
		default: '',
		required: rows.required,
		send: { ...rows.send, as: (rows.send && rows.send.as) || rows.name, rows },
		description: 'In place of the rows',
		hint: `For example ${hint}`,
	});

/** Rows, the same as JSON, and the choice between them (`specify`). */
export function specified(rows: FixedCollection, hint: string): Field[] {
	const about = {
		name: `${rows.name}As`,
		ways: { json: 'Takes an expression with any number of rows' },
	};
	return specify(rows.displayName, about, rows, asJson(rows, hint));
}
