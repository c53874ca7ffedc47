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

test.each<[string, string, object, object]>([
	['an array', 'charge.create', asJson(three), { charge: { services: three } }],
	['text', 'charge.create', asJson(JSON.stringify(three)), { charge: { services: three } }],
	[
		'an expression for the rows',
		'charge.create',
		{ services: three },
		{ charge: { services: three } },
	],
	[
		'an object',
		'property.update',
		{ propertiesAs: 'json', propertiesJson: { plan: 'gold', since: 2020 } },
		{ CustomerProperties: { plan: 'gold', since: '2020' } },
	],
	[
		'rows of name and value',
		'property.update',
		{ propertiesAs: 'json', propertiesJson: [{ name: 'plan', value: 'gold' }] },
		{ CustomerProperties: { plan: 'gold' } },
	],
	[
		'names that differ in case',
		'property.update',
		{ propertiesAs: 'json', propertiesJson: { plan: 'a', Plan: 'b' } },
		{ CustomerProperties: { plan: 'a', Plan: 'b' } },
	],
	[
		'empty text in JSON',
		'property.update',
		{ propertiesAs: 'json', propertiesJson: '{"plan": "gold", "note": ""}' },
		{ CustomerProperties: { plan: 'gold', note: '' } },
	],
	[
		'rows of JSON that lack a field',
		'subscription.create',
		{ addonsAs: 'json', addonsJson: addons },
		{ subscription: { id: 'plan-basic', addons } },
	],
])('%s: %s sends what the API takes', (_what, operation, form, sent) => {
	expect(body(operation, form)).toEqual(sent);
});

const wrong = (services: unknown[]) => ['charge.create', asJson(services)] as const;
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

test.each<[string, object, string, RegExp]>([
	['subscription.create', discount(10), 'Discount Type', /must not be empty if Discount Value/],
	[
		'subscription.create',
		discount(undefined, 'fixed'),
		'Discount Value',
		/if Discount Type is set/,
	],
	['subscription.create', discount(-1, 'fixed'), 'Discount Value', /must be at least 0 \(got -1\)/],
	[
		'subscription.create',
		discount(100.5, 'percentage'),
		'Discount Value',
		/at most 100 .*got 100.5/,
	],
	[
		...wrong([three[0], { amount: 5 }]),
		'Services (JSON)',
		/^has a fault in line 2: Name must not be empty$/,
	],
	[...wrong([{ name: 'Free', amount: '0' }]), 'Services', /line 1: Amount must be greater than 0/],
	[...wrong([{ ...three[0], code: 7 }]), 'Services (JSON)', /line 1: code is none of name, amount/],
	[...wrong(['Setup']), 'Services (JSON)', /line 1: .* must be an object/],
	[...wrong([]), 'Services (JSON)', /^must not be empty$/],
	['charge.create', asJson({ name: 'Setup' }), 'Services (JSON)', /must be a JSON array/],
	[
		'charge.create',
		amount(0),
		'Services',
		/Amount must be greater than 0, unless Allow Free and Credit Lines is on \(got 0\)/,
	],
	['charge.create', amount(-5), 'Services', /must be greater than 0, unless .* \(got -5\)/],
	['charge.create', { ...amount(0), ...free }, 'Services', /must add up to more than 0 \(got 0\)/],
	['charge.create', { ...lines(0.3, -0.1, -0.2), ...free }, 'Services', /add up to .* \(got 0\)/],
	['charge.create', amount('0x10'), 'Services', /line 1: Amount must be a number/],
	['charge.create', amount(''), 'Services', /line 1: Amount must not be empty/],
	[
		...wrong([three[0], { ...three[1], amount: 2 ** 53 }]),
		'Services (JSON)',
		/line 2: Amount has too/,
	],
	[
		'property.update',
		{ propertiesAs: 'json', propertiesJson: { plan: { tier: 1 } } },
		'Properties (JSON)',
		/line 1: Value must be text/,
	],
	...[
		'{"plan": null}',
		{ plan: null },
		{ plan: undefined },
		[{ name: 'plan', value: null }],
		[{ name: 'plan', value: undefined }],
	].map((propertiesJson): [string, object, string, RegExp] => [
		'property.update',
		{ propertiesAs: 'json', propertiesJson },
		'Properties (JSON)',
		/line 1: Value must not be empty/,
	]),
	[
		'property.update',
		{ propertiesAs: 'json', propertiesJson: [{ name: 'plan' }] },
		'Properties (JSON)',
		/must have a value for "plan"/,
	],
])('%s refuses %j', (operation, form, field, fault) => {
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
