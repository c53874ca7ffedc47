// Numbers of the forms: what the user types is what is sent.
import { expect, test } from '@jest/globals';
import { slots } from '../table/leaves.cts';
import { table } from '../table/operations.cts';

const numbers = table.flatMap(({ title, operation }) =>
	slots(operation)
		.filter(({ field, path }) => field.type === 'number' && /amount|value|total/i.test(path))
		.map(({ field }) => [title, field] as const),
);

test('there are amounts', () => {
	expect(numbers.length).toBeGreaterThan(4);
});

test.each(numbers)('%s: an amount is not rounded by the form', (_title, { typeOptions }) => {
	expect(typeOptions?.numberPrecision).toBeUndefined();
});
