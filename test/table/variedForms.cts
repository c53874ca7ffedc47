// Forms as people fill them: some of the optional fields, other values in them. The same for each seed.
import { isSecret } from '../../dist/nodes/engine/form/limits.js';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { randomFrom } from '../sandbox/random.cts';
import type { Form } from './forms.cts';

const TEXTS = [
	'Zoë & Søn',
	'  spaced  ',
	'a\nb',
	'"quoted" \\ {{x}}',
	'0',
	'null',
	'日本 🙂',
	'x'.repeat(80),
];
const NUMBERS = [1, 0.1, 19.99, 1_000_000, 7];

/** A filled form with other values, and without some of what may be left out. */
export function variedForm(fields: Field[], base: Form, seed: number): Form {
	const random = randomFrom(seed);
	const varied = (field: Field, value: unknown): unknown => {
		if (isSecret(field) || random.chance(0.4)) return value;
		if (field.type === 'boolean') return random.chance(0.5);
		if (field.type === 'number') return random.pick(NUMBERS);
		if (field.type === 'string') return random.pick(TEXTS);
		if (field.type !== 'options') return value;
		const values = (field.options ?? []).flatMap((each) => ('value' in each ? [each.value] : []));
		return values.length > 0 ? random.pick(values) : value;
	};
	const within = (own: Field[], form: Form, isOptional: boolean): Form =>
		Object.fromEntries(
			Object.entries(form)
				.map(([name, value]) => ({ name, value, field: own.find((each) => each.name === name) }))
				.filter(({ field }) => !isOptional || field?.required || random.chance(0.6))
				.map(({ name, value, field }) => {
					if (!field) return [name, value];
					return field.type === 'collection'
						? [name, within(field.options, Object(value) as Form, true)]
						: [name, varied(field, value)];
				}),
		);
	return within(fields, base, false);
}
