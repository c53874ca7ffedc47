// Numbers of the forms: what the user types is what is sent.
import { expect, test } from '@jest/globals';
import { forms } from '../table/forms.cts';
import { slots } from '../table/leaves.cts';
import { table, type TableEntry } from '../table/operations.cts';
import { requestOf } from '../table/requests.cts';
import { fixedValues } from '../table/samples.cts';

const numbers = table.flatMap(({ title, operation }) =>
	slots(operation)
		.filter(({ field, path }) => field.type === 'number' && /amount|value|total|cost/i.test(path))
		.map(({ field }) => [title, field] as const),
);

test('there are amounts', () => {
	expect(numbers.length).toBeGreaterThan(4);
});

test.each(numbers)('%s: an amount is not rounded by the form', (_title, { typeOptions }) => {
	expect(typeOptions?.numberPrecision).toBeUndefined();
});
test.each(numbers)('%s: an amount has no noise, and no other base than ten', (title, field) => {
	const entry = table.find((each) => each.title === title) as TableEntry;
	const [slot] = slots(entry.operation).filter((each) => each.field === field);
	const [form] = forms(entry.operation, fixedValues(entry));
	const sent = (value: unknown) => JSON.stringify(requestOf(entry, slot.with(form, value)).body);
	expect(sent(0.1 + 0.2)).toBe(sent(0.3));
	expect(sent('0.3')).toBe(sent(0.3));
	for (const value of ['0x10', '0b11', '0o7', '1,5', '1_000']) {
		expect(() => sent(value)).toThrow('must be a number');
	}
});
