// Requests to the webhook of Platform Trigger from anybody who knows its path: nothing throws, and nothing
// starts without the secret, whatever is sent.
import fc from 'fast-check';
import { tries } from '../share.cts';
import { TriggerWorkflow } from './host/trigger.cts';
import { credentialOf, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 5 });
const PAID = 'RecurringPayments.charge.paid';

const published = async (settings = {}) => {
	const workflow = new TriggerWorkflow(credentialOf(sandbox()), { events: [PAID], settings });
	await workflow.publish();
	const { url } = sandbox().state.webhooks.webhooks.rows.at(-1)!;
	const query = Object.fromEntries(new URL(url).searchParams);
	return { workflow, url, query };
};

test('a query without the event and the secret, both as texts, is refused', async () => {
	const { workflow, url, query: right } = await published();
	const { secret } = right;
	const queries: unknown[] = [
		{ event: { toString: 'x' }, secret: 'x' },
		{ event: PAID, secret: { toString: 'x' } },
		{ event: PAID, secret: ['x', 'y'] },
		{ hasOwnProperty: 'x' },
		undefined,
		{ ...right, secret: [secret] },
		{ ...right, secret: { 0: secret } },
		{ ...right, secret: { toString: secret } },
		{ ...right, secret: 'f'.repeat(48) },
		{ ...right, secret: secret.slice(0, -1) },
		{ ...right, secret: '' },
		{ ...right, secret: undefined },
		{ ...right, event: 'RecurringPayments.charge.failed' },
		{ ...right, event: undefined },
	];
	for (const query of queries) {
		const delivered = await workflow.deliver({ url: new URL('/', url).href, query });
		expect({ query, ...delivered }).toMatchObject({ query, status: 401, isRead: false, items: [] });
	}
	expect((await workflow.deliver({ url })).items).toHaveLength(1);
});

const tooLarge = Object.assign(new Error('request entity too large'), { status: 413 });
const broken = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });

test.each([
	['too large', tooLarge, 413],
	['broken gzip', broken, 400],
	['cut off', Object.assign(new Error('aborted'), { httpStatusCode: 400 }), 400],
])(
	'a body that is %s: read with the secret only, and answered',
	async (_what, unreadable, status) => {
		const { workflow, url, query } = await published();
		const without = await workflow.deliver({ url, query: { ...query, secret: 'x' }, unreadable });
		expect(without).toMatchObject({ status: 401, isRead: false, items: [] });
		const withSecret = await workflow.deliver({ url, query, unreadable });
		expect(withSecret).toMatchObject({ status, isRead: true, items: [] });
	},
);

describe('drawn requests', () => {
	/** What n8n's parser makes of a value: a text, a list, or an object with any names. */
	const { value } = fc.letrec<{ value: unknown }>((tie) => ({
		value: fc.oneof(
			{ depthSize: 'small' },
			fc.string(),
			fc.constantFrom(PAID, '', 'undefined', '__proto__'),
			fc.array(tie('value'), { maxLength: 3 }),
			fc.dictionary(
				fc.oneof(fc.string(), fc.constantFrom('toString', 'valueOf', 'length', 'constructor')),
				tie('value'),
				{ maxKeys: 3 },
			),
		),
	}));
	const query = fc.oneof(
		fc.record({ event: value, secret: value, node: value }, { requiredKeys: [] }),
		fc.dictionary(fc.string(), value, { maxKeys: 4 }),
		value,
	);
	const header = fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }));
	const headers = fc.dictionary(
		fc.oneof(
			fc.string(),
			fc.constantFrom('content-type', 'x-signature', 'content-encoding', '__proto__', 'toString'),
		),
		fc.oneof(
			header,
			fc.constantFrom('application/json; charset=utf-7', 'application/x-www-form-urlencoded'),
		),
		{ maxKeys: 5 },
	);
	const body = fc.oneof(
		fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
		fc.json(),
		fc.webQueryParameters(),
		fc.constant('%'.repeat(50)),
	);
	const unreadable = fc.option(fc.constantFrom<Error>(tooLarge, broken), {
		nil: undefined,
		freq: 9,
	});
	const method = fc.constantFrom('POST', 'GET', 'PUT', 'HEAD', 'DELETE', 'PATCH');
	const request = fc.record({ query, headers, body, unreadable, method });
	const RUNS = tries(200, 5_000);

	test.each([
		['none', {}],
		['hmac', { tokenCheck: 'hmac', headerName: 'X-Signature', includeRaw: true }],
	])(
		`${RUNS} without the secret, token checked by %s: no throw, no item`,
		async (_how, settings) => {
			const { workflow, url } = await published(settings);
			await fc.assert(
				fc.asyncProperty(request, async (drawn) => {
					const { status, isRead, items } = await workflow.deliver({ ...drawn, url });
					expect({ status, isRead, items }).toEqual({ status: 401, isRead: false, items: [] });
				}),
				{ numRuns: RUNS },
			);
		},
	);

	test('with the secret: no throw, and a status', async () => {
		const drawn = await published({ includeRaw: true });
		const { workflow, url } = drawn;
		await fc.assert(
			fc.asyncProperty(request, async (each) => {
				const delivered = await workflow.deliver({ ...each, query: drawn.query, url });
				const { status, items } = delivered;
				expect([200, 400, 413]).toContain(status);
				expect(items).toHaveLength(status === 200 ? 1 : 0);
				expect(JSON.stringify(items)).not.toContain(drawn.query.secret);
			}),
			{ numRuns: tries(100, 1_000) },
		);
	});
});
