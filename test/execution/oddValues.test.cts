// Odd values out of expressions, through the whole engine of n8n: a request or an error that names
// field and item. Every kind of value and field is tried in test/contract/properties.test.cts.
import { byId, run, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 5 });

const sent = () =>
	sandbox().requests.map(({ body }) => (body as { customer: Record<string, unknown> }).customer);

const create = async (additionalFields: object, email = 'odd@example.com') =>
	await run(sandbox(), 'platformCustomers', 'customer.create', { email, additionalFields });

let mails = 0;
const mail = () => `odd.${mails++}@example.com`;

test.each<[string, object, object]>([
	['a number as text', { firstName: '={{ 7 }}' }, { first_name: '7' }],
	['a boolean as text', { firstName: '={{ true }}' }, { first_name: 'true' }],
	['null as nothing', { firstName: '={{ null }}' }, {}],
	['undefined as nothing', { firstName: '={{ $json.nothing }}' }, {}],
	['an emoji', { firstName: '={{ "😀" }}' }, { first_name: '😀' }],
	['an array as a list', { tags: '={{ ["a", "b,c"] }}' }, { tags: ['a', 'b,c'] }],
	['a blank as no list', { tags: ' ' }, {}],
	['a comma as no list', { tags: '={{ "," }}' }, {}],
	['an object as JSON', { further: '={{ { vat_id: 1 } }}' }, { vat_id: 1 }],
	[
		'dates inside JSON',
		{ further: '={{ { since: DateTime.fromISO("2026-03-01T09:00:00Z", { zone: "utc" }) } }}' },
		{ since: '2026-03-01T09:00:00.000Z' },
	],
])('%s', async (_what, additionalFields, expected) => {
	const email = mail();
	const result = await create(additionalFields, email);
	expect(result.error).toBeUndefined();
	expect(sent()).toEqual([{ email, ...expected }]);
});

test.each<[string, object, string]>([
	['an object as text', { firstName: '={{ { a: 1 } }}' }, '"First Name" must be text'],
	['an array as text', { firstName: '={{ ["a"] }}' }, '"First Name" must be text'],
	[
		'half a character',
		{ firstName: '={{ "😀".slice(0, 1) }}' },
		'"First Name" must be valid Unicode',
	],
	['NaN', { firstName: '={{ Number("x") }}' }, '"First Name" must be text'],
	[
		'an array as JSON object',
		{ further: '={{ [1] }}' },
		'"Other Fields (JSON)" must be a JSON object',
	],
	['a date as JSON object', { further: '={{ $now }}' }, '"Other Fields (JSON)" must be'],
	['objects in a list', { tags: '={{ [{ a: 1 }] }}' }, '"Tags" must be text'],
	[
		'a number where an address goes',
		{ further: '={{ { email: 5 } }}' },
		'"Email" must be an email',
	],
])('%s is refused', async (_what, additionalFields, says) => {
	const result = await create(additionalFields);
	expect(result.error?.message).toContain(says);
	expect(result.error?.message).not.toContain('[item');
	expect(sandbox().requests).toEqual([]);
});

test.each([
	['an object in place of an id', '={{ { id: 1 } }}', 'must be text'],
	['an array in place of an id', '={{ ["a"] }}', 'must be text'],
	['nothing in place of an id', '={{ $json.id }}', 'must not be empty'],
	['the name of another endpoint', '={{ "customer" }}', 'would call the endpoint'],
	['a path', '={{ ".." }}', 'must be an ID'],
])('%s is refused', async (_what, value, says) => {
	const result = await run(sandbox(), 'platformCustomers', 'customer.delete', {
		customerId: byId(value),
	});
	expect(result.error?.message).toContain(says);
	expect(sandbox().requests).toEqual([]);
});

test('names of a prototype change nothing and spoil nothing', async () => {
	const email = mail();
	const json = '{"__proto__": {"polluted": true}, "constructor": 1, "vat_id": "DE1"}';
	const result = await create({ further: json }, email);
	expect(result.error).toBeUndefined();
	// The request helper of n8n leaves such names out; the others arrive.
	expect(sent()).toEqual([{ email, vat_id: 'DE1' }]);
	expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
