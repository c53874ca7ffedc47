// Rows of a form, filled in one by one or given all at once: a number of them that varies, each checked. And its amounts,
// which no form rounds.
import { slots } from '../table/leaves.cts';
import { entryOf, table } from '../table/operations.cts';
import { problemsOf, requestOf } from '../table/requests.cts';
import { expectNone } from '../none.cts';

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const ids = { customerId: byId('cus-1'), plan: 'plan-basic' };
const three = [1, 2, 3].map((n) => ({ name: `Line ${n}`, amount: n, taxProfile: 'standard' }));
const asJson = (servicesJson: unknown) => ({ servicesAs: 'json', servicesJson });
const addons = [{ element: 'seats', quantity: 3 }, { element: 'disk' }];

const body = (operation: string, form: object) => {
	const [resource, name] = operation.split('.');
	const request = requestOf(entryOf('platformCustomers', resource, name), { ...ids, ...form });
	expect(problemsOf(request)).toEqual([]);
	return request.body;
};

const properties = (propertiesJson: unknown) => ({ propertiesAs: 'json', propertiesJson });
const sent = (CustomerProperties: object) => ({ CustomerProperties });
const services = { charge: { services: three } };

test.each<[what: string, operation: string, form: object, sent: object]>([
	['an array', 'charge.create', asJson(three), services],
	['text', 'charge.create', asJson(JSON.stringify(three)), services],
	['an expression for the rows', 'charge.create', { services: three }, services],
	[
		'an object',
		'property.update',
		properties({ plan: 'gold', since: 2020 }),
		sent({ plan: 'gold', since: '2020' }),
	],
	[
		'rows of name and value',
		'property.update',
		properties([{ name: 'plan', value: 'gold' }]),
		sent({ plan: 'gold' }),
	],
	[
		'names that differ in case',
		'property.update',
		properties({ plan: 'a', Plan: 'b' }),
		sent({ plan: 'a', Plan: 'b' }),
	],
	[
		'empty text in JSON',
		'property.update',
		properties('{"plan": "gold", "note": ""}'),
		sent({ plan: 'gold', note: '' }),
	],
	[
		'rows of JSON that lack a field',
		'subscription.create',
		{ addonsAs: 'json', addonsJson: addons },
		{ subscription: { id: 'plan-basic', addons } },
	],
])('%s: %s sends what the API takes', (_what, operation, form, expected) => {
	expect(body(operation, form)).toEqual(expected);
});

const amount = (value: unknown) => ({ services: { service: [{ name: 'Setup', amount: value }] } });

const lines = (...amounts: number[]) =>
	asJson(amounts.map((each) => ({ name: 'Setup', amount: each })));
const free = { options: { allowFreeLines: true } };

test('free and credit lines of a charge are sent if the user wants it', () => {
	expect(body('charge.create', { ...lines(10, 0, -2.5), ...free })).toEqual({
		charge: { services: [10, 0, -2.5].map((amount) => ({ name: 'Setup', amount })) },
	});
});

const discount = (discountValue?: unknown, discountType?: string) => ({
	additionalFields: {
		...(discountValue !== undefined && { discountValue }),
		...(discountType !== undefined && { discountType: byId(discountType) }),
	},
});

test.each([
	[0, 'percentage'],
	[100, 'percentage'],
	[250, 'fixed'],
])('a discount of %d %s is sent', (value, type) => {
	expect(body('subscription.create', discount(value, type))).toEqual({
		subscription: { id: 'plan-basic', global_discount: { value, type } },
	});
});

const REFUSED: Record<string, Array<[form: object, field: string, fault: RegExp]>> = {
	'subscription.create': [
		[discount(10), 'Discount Type', /must not be empty if Discount Value/],
		[discount(undefined, 'fixed'), 'Discount Value', /if Discount Type is set/],
		[discount(-1, 'fixed'), 'Discount Value', /must be at least 0 \(got -1\)/],
		[discount(100.5, 'percentage'), 'Discount Value', /at most 100 .*got 100.5/],
	],
	'charge.create': [
		[asJson([three[0], { amount: 5 }]), 'Services (JSON)', /fault in line 2: Name must not be/],
		[asJson([{ name: 'Free', amount: '0' }]), 'Services', /line 1: Amount must be greater than 0/],
		[asJson([{ ...three[0], code: 7 }]), 'Services (JSON)', /line 1: code is none of name, amount/],
		[asJson(['Setup']), 'Services (JSON)', /line 1: .* must be an object/],
		[asJson([]), 'Services (JSON)', /^must not be empty$/],
		[asJson({ name: 'Setup' }), 'Services (JSON)', /must be a JSON array/],
		[amount(0), 'Services', /greater than 0, unless Allow Free and Credit Lines is on \(got 0\)/],
		[amount(-5), 'Services', /must be greater than 0, unless .* \(got -5\)/],
		[{ ...amount(0), ...free }, 'Services', /must add up to more than 0 \(got 0\)/],
		[{ ...lines(0.3, -0.1, -0.2), ...free }, 'Services', /add up to .* \(got 0\)/],
		[amount('0x10'), 'Services', /line 1: Amount must be a number/],
		[amount(''), 'Services', /line 1: Amount must not be empty/],
		[lines(1, 2 ** 53), 'Services (JSON)', /line 2: Amount has too/],
	],
	'property.update': [
		[properties({ plan: { tier: 1 } }), 'Properties (JSON)', /line 1: Value must be text/],
		[properties([{ name: 'plan' }]), 'Properties (JSON)', /must have a value for "plan"/],
		...[
			...['{"plan": null}', { plan: null }, { plan: undefined }],
			...[null, undefined].map((value) => [{ name: 'plan', value }]),
		].map((given): [object, string, RegExp] => [
			properties(given),
			'Properties (JSON)',
			/line 1: Value must not be empty/,
		]),
	],
};

test.each(
	Object.entries(REFUSED).flatMap(([operation, rows]) =>
		rows.map((row) => [operation, ...row] as const),
	),
)('%s refuses %j', (operation, form, field, fault) => {
	expect(() => body(operation, form)).toThrow(
		expect.objectContaining({ field, fault: expect.stringMatching(fault) }),
	);
});

const amounts = table.flatMap(({ title, operation }) =>
	slots(operation)
		.filter(({ field, path }) => field.type === 'number' && /amount|value|total|cost/i.test(path))
		.map(({ field }) => [title, field] as const),
);

test('amounts are not rounded by the form', () => {
	expect(amounts.length).toBeGreaterThan(4);
	const rounded = amounts.filter(([, field]) => field.typeOptions?.numberPrecision !== undefined);
	expectNone(rounded, "n8n's form would round the amount. Remove numberPrecision.");
});
