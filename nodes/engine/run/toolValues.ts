// Values of a tool. n8n has the model fill in optional fields too, so a model gives an empty value for what it
// doesn't want to set. Empty means not given there, and null clears a value.
import { isRecord } from '../base/data';
import type { Field } from '../form/fields';
import { isNotGiven, isRefusedOfModel } from '../form/nothing';
import { offers, unwrapLocator } from '../form/values';
import type { Parameter } from './parameters';

/** The value as a person would enter it in the form. Undefined if it's empty and counts as not given. */
function valueOf(field: Field, value: unknown): unknown {
	const { send } = field;
	if (field.type === 'collection') return isRecord(value) ? fieldsOf(field.options, value) : value;
	// In the form, an empty field clears.
	if (send && send.empty === 'clears' && unwrapLocator(value) === null) {
		return field.type === 'fixedCollection' ? {} : '';
	}
	// Empty text may be one of the choices.
	const isChoice = field.type === 'options' && offers(field, value);
	const mustStay = field.required || isChoice || isRefusedOfModel(field);
	return !mustStay && isNotGiven(field, value) ? undefined : value;
}

/** Fields of a collection that are given. A field that a model can't leave blank stays, and the form refuses it. */
function fieldsOf(options: Field[], values: object): Record<string, unknown> {
	const given = Object.entries(values).map(([name, value]): [string, unknown, boolean] => {
		const field = options.find((option) => option.name === name);
		return field ? [name, valueOf(field, value), isRefusedOfModel(field)] : [name, value, false];
	});
	return Object.fromEntries(
		given
			.filter(([, value, mustStay]) => value !== undefined || mustStay)
			.map(([name, value]) => [name, value]),
	);
}

/** Wraps the function that reads the parameters of an item, for a tool: what its model left empty counts as not given. */
export function givenByModel(fields: Field[], parameter: Parameter): Parameter {
	const byName = new Map(fields.map((field) => [field.name, field]));
	return (name) => {
		const field = byName.get(name);
		return field ? valueOf(field, parameter(name)) : parameter(name);
	};
}
