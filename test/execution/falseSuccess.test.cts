// Responses of success that aren't one: without what the reference documents as returned, or with an error in other words.
// Every write of the table, and those whose response isn't shown.
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../dist/nodes/engine/base/data.js';
import samples from '../../nodes/api/dryRunSamples.json';
import { endpoints } from '../contract/contract.cts';
import { forms } from '../table/forms.cts';
import { endpointOf, isRepeatable, onlyReads, routes, table } from '../table/operations.cts';
import { fixedValues } from '../table/samples.cts';
import { told } from './host/host.cts';
import { clearStore } from './host/keyStore.cts';
import { byId, run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

const UNCONFIRMED = "That isn't as documented, so the person isn't confirmed.";

const DOUBT = "It may have gone through, so it wasn't retried. Check before you run it again.";

/** Members that a success must have. */
const returnsOf = (route: string): string[] => {
	const endpoint = endpointOf(route);
	return endpoint.kind === 'one' ? (endpoint.returns ?? []) : [];
};

/** Names that the contract requires in a response, and in the records right below it. */
function documentedOf(route: string): string[] {
	const { responses } = endpoints.find(({ method, path }) => `${method} ${path}` === route) ?? {};
	const [, success] = Object.entries(responses ?? {}).find(([status]) => status < '3') ?? [];
	const { anyOf = [], ...schema } = { ...success?.body?.schema };
	const whole = (anyOf as (typeof schema)[])[0] ?? schema;
	return [whole, ...Object.values(whole.properties ?? {})].flatMap(({ required = [] }) => required);
}

const writes = routes.filter((route) => !onlyReads(route));

test.each(writes)('%s: its response must have what the reference documents', (route) => {
	const { kind, isUntyped, computes } = endpointOf(route);
	const documented = documentedOf(route);
	const returns = returnsOf(route);
	// Codes are a list, and embeddings are held against their texts.
	const hasMembers = kind === 'one' && !isUntyped && !computes && documented.length > 0;
	const advice = `${route} in nodes/api/endpoints.ts: write(scope, ...) names the members without which it isn't done, of ${documented.join(', ')}`;
	expect([returns.length > 0, advice]).toEqual([hasMembers, advice]);
	expect(documented).toEqual(expect.arrayContaining(returns));
});

const sampleOf = (route: string): IDataObject => {
	const endpoint = endpointOf(route);
	if (endpoint.kind === 'one' && endpoint.gone) return { ...endpoint.gone('1'), status: 'success' };
	return known((samples as Record<string, IDataObject>)[route], returnsOf(route));
};

/** A sample of a dry run has null for what isn't known, and false for every flag. */
const known = (sample: IDataObject, returns: string[]): IDataObject =>
	Object.fromEntries(
		Object.entries(sample).map(([name, value]) => {
			if (isRecord(value)) return [name, known(value, returns)];
			return [name, returns.includes(name) && value === false ? true : (value ?? 1)];
		}),
	) as IDataObject;

/** A copy of a response in which a member is undefined or has another value. */
const changed = (response: IDataObject, member: string, value?: unknown): IDataObject =>
	Object.fromEntries(
		Object.entries(response).flatMap(([name, each]): Array<[string, unknown]> => {
			if (name === member) return value === undefined ? [] : [[name, value]];
			const isBelow = typeof each === 'object' && each !== null && !Array.isArray(each);
			return [[name, isBelow ? changed(each as IDataObject, member, value) : each]];
		}),
	) as IDataObject;

const found = { id: '1', tags: [], selected_ids: [], elements: {}, data: {}, address: {} };

const entries = table.filter(({ operation }) => returnsOf(operation.endpoint.route).length > 0);

test.each(entries.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const { node, resource, operation } = entry;
	const { route } = operation.endpoint;
	const { alternative } = operation;
	const form = (forms(operation, fixedValues(entry)) as IDataObject[]).findLast(
		(each) => !alternative || each[alternative.field] !== alternative.is,
	);
	const outcome = async (body: unknown, status = 200) => {
		// The run before may have left what it sent in doubt.
		clearStore();
		service.behave(({ method, path }) => {
			if (method !== operation.endpoint.method) {
				return /customer\.json|partner\.json/.test(path) ? { status: 404 } : { body: found };
			}
			return { status, body };
		});
		const name = `${resource.value}.${operation.value}`;
		const options = { items: [{ id: '1' }] };
		const { error } = await run(service, node, name, { ...form, waitUntilIndexed: false }, options);
		return error?.message;
	};
	const ofPerson = operation.endpoint.checksPerson ? UNCONFIRMED : DOUBT;
	const doubt = isRepeatable(route) ? '' : ofPerson;
	expect(await outcome(sampleOf(route))).toBeUndefined();
	for (const member of returnsOf(route)) {
		const lacking = await outcome(changed(sampleOf(route), member));
		expect(lacking).toContain(`The API returned no "${member}".`);
		expect(lacking).toContain(doubt);
	}
	const [member] = returnsOf(route);
	const denied = await outcome(changed(sampleOf(route), member, false));
	expect(denied).toContain(`The API returned "${member}": false.`);
	expect(await outcome({})).toContain(doubt);
	const isSilentDone = operation.endpoint.method !== 'POST' && isRepeatable(route);
	const silent = await outcome('', 204);
	if (isSilentDone) expect(silent).toBeUndefined();
	else expect(silent).toContain(doubt);
});

test('the ID of what was sent does not stand for that of what was made', async () => {
	service.behave(() => ({ status: 201, body: { subscription: { id: 's1', status: 'active' } } }));
	const form = { customerId: byId('c1'), plan: 'p1' };
	const { items } = await run(service, 'platformCustomers', 'subscription.create', form);
	expect(items[0].json).toMatchObject({ subscription: { id: 's1' }, customer_id: 'c1' });
	expect(items[0].json.id).toBeUndefined();
});

describe('where the reference shows no response', () => {
	const charge = { customerId: byId('c1'), services: { service: [{ name: 'S', amount: 10 }] } };
	const pause = { customerId: byId('c1'), subscriptionId: byId('s1') };

	/** What comes of a response to a charge, and to a pause: the `response` in the item, or the error. */
	async function told(body: string) {
		service.behave(() => ({ body, headers: { 'content-type': 'text/plain' } }));
		const outcome = async (operation: string, form: object) => {
			const { items, error } = await run(service, 'platformCustomers', operation, { ...form });
			return error ? error.message : items[0].json.response;
		};
		return [await outcome('charge.create', charge), await outcome('subscription.pause', pause)];
	}

	test.each([
		['"queued"', 'queued'],
		['7', 7],
		['0', 0],
		['true', true],
	])('%s is data', async (body, response) => {
		expect(await told(body)).toEqual([response, response]);
	});

	const notJson = `The API returned text that isn't JSON. ${DOUBT}`;

	/** A charge in doubt also says what to look for. */
	const ofBoth = (message: string) => [`${message} Look for the charge of 10.00 for c1.`, message];

	test.each([
		['Service unavailable', [ofBoth(notJson)[0], 'Service unavailable']],
		['{"id": 1', ofBoth(notJson)],
		['<html>', ofBoth(`The API returned HTML instead of JSON. ${DOUBT}`)],
		['false', ofBoth(`The API returned false. ${DOUBT}`)],
	])('%s: no text is taken for a payment', async (body, both) => {
		expect(await told(body)).toEqual(both);
	});

	test.each([
		{ success: 0 },
		{ success: '0' },
		{ success: 'False' },
		{ error: 402 },
		{ errors: 'Declined' },
	])('%j is no success', async (body) => {
		for (const message of await told(JSON.stringify(body))) expect(message).toContain(DOUBT);
	});
});

describe('a success that says no', () => {
	const user = { externalUserId: 'u1' };
	const browser = { ...user, challengeId: 'c1', payload: '{"id":"p"}' };
	const person = { id: 'u1', message: 'Done' };
	const registered = { passkey: { id: 'p1', external_id: 'u1', registered: true } };
	const checks: Array<[operation: string, form: object, body: object]> = [
		['oneTimePassword.verify', { ...user, code: '123456' }, person],
		['passkey.verify', browser, person],
		['passkey.confirmRegistration', browser, registered],
	];
	const outcome = async (operation: string, form: object, body: object) => {
		service.behave(() => ({ body }));
		return await run(service, 'platformIdentity', operation, { ...form });
	};

	describe.each(checks)('%s', (operation, form, body) => {
		test.each([
			...['failed', 'FAILED', 'Denied', 'expired', 'invalid', 'error', 'rejected', 'failure'],
			...['code_expired', 'INVALID_CODE', 'not verified: rejected', 'not_verified', 'Unverified'],
			...['blocked', 'locked', 'wrong code', 'declined', 'KO', 'false', '0', 0],
			...[
				'verificationFailed',
				'notVerified',
				'CodeExpired',
				'isInvalid',
				'unauthenticated',
				'NOK',
			],
			...['forbidden', 'timeout', 'cancelled', 'canceled', 'fails', ['failed'], { code: 'DENIED' }],
		])('%j', async (status) => {
			const { error, items } = await outcome(operation, form, { ...body, status });
			expect(items).toEqual([]);
			expect(error?.message).toMatch(/ \(HTTP 200, id \w+/);
			expect(`${error?.message} ${error?.description}`).not.toMatch(/may have gone|Base URL/);
		});

		test.each([
			...['success', 'verified', 'ok', 'active', 'errorless', 'notified', 'Notified', 'noted'],
			...['notarized', 'successNoted', { code: 'verified' }],
		])('%j passes, and is in the output', async (status) => {
			const { error, items } = await outcome(operation, form, { ...body, status });
			expect(error).toBeUndefined();
			expect(items[0].json).toMatchObject({ status });
		});
	});

	test('with a message, the error is the message, and says what to check', async () => {
		const [operation, form] = checks[0];
		const body = { status: 'failed', id: 'u1', message: 'Wrong code' };
		const { error } = await outcome(operation, form, body);
		expect(error?.message).toBe('Wrong code (HTTP 200, id u1)');
		expect(error?.description).toContain(
			'Check the code or the passkey, and the user it belongs to.',
		);
		const { error: silent } = await outcome(operation, form, { status: 'failed', id: 'u1' });
		expect(silent?.message).toBe('"status": "failed" (HTTP 200, id u1)');
	});

	test.each([false, 'false', 'False', 0, '0', 'no'])(
		'the registration of a passkey with registered: %j',
		async (no) => {
			const [operation, form, body] = checks[2];
			const passkey = { ...registered.passkey, registered: no };
			const { error } = await outcome(operation, form, { ...body, status: 'success', passkey });
			expect(error?.message).toContain('The API returned "registered": false.');
		},
	);

	test.each([0, '0', 'No'])('a deletion with deleted: %j', async (no) => {
		service.behave(() => ({ body: { id: 'c1', deleted: no } }));
		const form = { customerId: byId('c1') };
		const { error } = await run(service, 'platformCustomers', 'customer.delete', form);
		expect(error?.message).toBe('The API returned "deleted": false.');
	});

	test('a number of recipients that is 0 is a result', async () => {
		service.behave(() => ({ body: { newsletter_id: 'n1', status: 'draft', saved_recipients: 0 } }));
		const form = { newsletterId: byId('n1'), customersAs: 'ids', contactIds: 'c1' };
		const { error, items } = await run(service, 'platformNewsletters', 'recipient.set', form);
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ saved_recipients: 0 });
	});

	test('a rotated key that is not configured', async () => {
		service.behave(() => ({ body: { id: 'c1', credential_configured: false } }));
		const form = { connectionId: byId('c1'), credential: 'secret-of-a-provider' };
		const { error } = await run(service, 'platformAiGateway', 'connection.rotateCredential', form);
		expect(error?.message).toBe('The API returned "credential_configured": false.');
		expect(error?.description).toContain("The API didn't do it, and gave no reason.");
	});
});

describe('a check of a person that cannot be read', () => {
	const form = { sentinelId: 's', ip: '203.0.113.7', userAgent: 'Mozilla' };

	test.each([
		['oneTimePassword.verify', { externalUserId: 'u1', code: '123456' }],
		['passkey.verify', { externalUserId: 'u1', challengeId: 'c', payload: '{}' }],
		['risk.assessSession', form],
	])('%s: the person is not confirmed, and nothing may have gone through', async (name, fields) => {
		service.behave(() => ({ body: { ok: 1 } }));
		const { error } = await run(service, 'platformIdentity', name, fields);
		expect(error?.message).toMatch(
			/^The API returned no "\w+"\. That isn't as documented, so the person isn't confirmed\.$/,
		);
		service.behave(() => undefined);
		const { error: lost } = await run(service, 'platformIdentity', name, fields);
		expect(lost?.message).toContain("so it wasn't retried, and the person isn't confirmed.");
		expect(lost?.message).not.toContain('may have gone through');
	});
});

describe('the report of a payout', () => {
	const PDF = '%PDF-1.7\nreport';
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const report = async (
		downloadAs: 'base64' | 'stream',
		body: string,
		type = 'application/pdf',
	) => {
		service.behave(() =>
			downloadAs === 'stream'
				? { body, headers: { 'content-type': type } }
				: { body: { stream: { type, base64_content: body } } },
		);
		const form = { partnerId: byId('ptn-1'), payoutId: byId('pay-1'), downloadAs };
		const { error, items } = await run(service, 'platformPartners', 'payout.downloadReport', form);
		if (error) return told(error);
		return Buffer.from(String(items[0].binary?.data.data), 'base64').toString();
	};

	test.each([
		['stream' as const, PDF],
		['stream' as const, `\r\n${PDF}`],
		['base64' as const, base64(PDF)],
		['base64' as const, `data:application/pdf;base64,${base64(PDF)}`],
	])('%s: %j is a file', async (downloadAs, body) => {
		expect((await report(downloadAs, body)).trim()).toBe(PDF);
	});

	test.each([
		['stream' as const, '<html>Sign in</html>', 'HTML instead of a file'],
		['stream' as const, 'Not found', "a file that isn't a PDF"],
		['base64' as const, 'The report is being made', "a file that isn't a PDF"],
		['base64' as const, base64('<!doctype html>'), 'HTML instead of a file'],
		['base64' as const, `data:text/html;base64,${base64('<html>')}`, 'HTML instead of a file'],
		['stream' as const, '', 'an empty file'],
		['base64' as const, '', 'an empty file'],
	])('%s: %j is none', async (downloadAs, body, came) => {
		const said = await report(downloadAs, body);
		expect(said).toContain(`The API returned ${came}.`);
		// JSON with a file in it is the API's: its Base URL is right.
		expect(said).toContain(downloadAs === 'stream' ? 'Check that Base URL' : 'Try again later.');
	});
});
