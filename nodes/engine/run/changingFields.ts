// Fields of a form whose expressions give something else each time: a Retry can't make the same requests of them.
import type { IExecuteFunctions } from 'n8n-workflow';

import { isRecord } from '../base/data';
import type { Operation } from '../form/operation';
import { labelOf } from '../form/fields';

/** Parts of expressions that depend on the time, on chance or on the run. */
const CHANGING =
	/\$(?:now|today|runIndex)\b|\$execution\.id\b|Math\.random|Date\.now|new Date\(\s*\)|DateTime\.(?:now|local|utc)\(\s*\)|randomUUID/;

/** Labels of the fields at any depth, by their names. */
function labelsIn(fields: unknown, labels = new Map<string, string>()): Map<string, string> {
	if (Array.isArray(fields)) for (const each of fields) labelsIn(each, labels);
	if (!isRecord(fields)) return labels;
	const { name, displayName } = fields;
	if (typeof name === 'string' && typeof displayName === 'string') labels.set(name, displayName);
	for (const inner of [fields.options, fields.values]) labelsIn(inner, labels);
	return labels;
}

export function changingFields(context: IExecuteFunctions, { fields }: Operation): string[] {
	const labels = labelsIn(fields);
	const found = new Set<string>();
	const look = (value: unknown, label: string): void => {
		if (typeof value === 'string' && value.startsWith('=') && CHANGING.test(value))
			found.add(label);
		if (Array.isArray(value)) for (const each of value) look(each, label);
		else if (isRecord(value)) {
			for (const [name, each] of Object.entries(value))
				look(each, labels.get(name) ?? labelOf(name));
		}
	};
	look(context.getNode().parameters, '');
	return [...found];
}
