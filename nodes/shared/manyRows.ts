// Rows of the same fields, filled in one by one or given all at once by an expression.
import type { Field, FixedCollection } from './fields';

/** The name of the choice between the two. */
const choiceOf = (name: string) => `${name}As`;

/** The same rows as data: JSON, or an expression for a number of them that varies. */
export function asJson(rows: FixedCollection, hint: string): Field {
	return {
		displayName: `${rows.displayName} (JSON)`,
		name: `${rows.name}Json`,
		type: 'json',
		default: '',
		required: rows.required,
		send: { ...rows.send, as: (rows.send && rows.send.as) || rows.name, rows },
		description: `${rows.description ?? rows.displayName}, as JSON or from an expression. Each row is checked.`,
		hint: `For example ${hint}`,
	};
}

/** Rows with a choice of how to fill them in. */
export function specified(rows: FixedCollection, hint: string): Field[] {
	const choice = choiceOf(rows.name);
	return [
		{
			displayName: `Specify ${rows.displayName}`,
			name: choice,
			type: 'options',
			noDataExpression: true,
			default: 'fields',
			send: false,
			options: [
				{ name: 'Using Fields Below', value: 'fields' },
				{ name: 'Using JSON', value: 'json' },
			],
			description: `How to enter the ${rows.displayName.toLowerCase()}. JSON takes an expression with any number of them.`,
		},
		{ ...rows, displayOptions: { show: { [choice]: ['fields'] } } },
		{ ...asJson(rows, hint), displayOptions: { show: { [choice]: ['json'] } } },
	];
}
