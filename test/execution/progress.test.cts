// What a cancelled run leaves in n8n's log, and the hints above the items of a run.
import { ExecuteContext } from 'n8n-core';
import type { Logger } from 'n8n-workflow';
import { wait } from '../wait.cts';
import { useLeapingTime } from './host/leapingTime.cts';
import { byId, run } from './host/run.cts';
import { Service, type Handler } from './host/service.cts';

useLeapingTime();
const service = Service.forFile();

/** Lines of n8n's log, by level. */
const lines: Array<[level: 'info' | 'warn', text: string]> = [];

beforeEach(() => {
	lines.length = 0;
	const logger = {
		info: (text: string) => void lines.push(['info', text]),
		warn: (text: string) => void lines.push(['warn', text]),
	} as Logger;
	jest.spyOn(ExecuteContext.prototype, 'logger', 'get').mockReturnValue(logger as never);
});

/** Every request takes five seconds. */
const slow =
	(handler: Handler): Handler =>
	async (request) => {
		await wait(5_000);
		return await handler(request);
	};

const charge = {
	customerId: byId('={{ $json.id }}'),
	services: { service: [{ name: 'Setup', amount: 10 }] },
};

const items = Array.from({ length: 20 }, (_none, index) => ({ id: `cus-${index}` }));

test('a run of writes that is cancelled logs what was sent', async () => {
	service.behave(slow(({ path }) => ({ body: { id: path.split('/')[2] } })));
	await run(service, 'platformCustomers', 'charge.create', charge, { items, cancelAfter: 12_000 });
	expect(lines).toEqual([
		[
			'warn',
			'Node: Create a charge was cancelled. Already done, but not in the output: item 0 (ID cus-0), 1 (ID cus-1). May have gone through: item 2.',
		],
	]);
});

test('a run of writes that is cancelled while the API asks to wait has sent nothing', async () => {
	service.behave(() => ({
		status: 429,
		headers: { 'retry-after': '60' },
		body: { error: 'Slow' },
	}));
	await run(service, 'platformCustomers', 'charge.create', charge, { items, cancelAfter: 12_000 });
	expect(lines.map(([, text]) => text)).toEqual([
		'Node: Create a charge was cancelled. Nothing was sent.',
	]);
});

test('hints are three at most, the last with the text of the others', async () => {
	service.behave(({ method, body, path }) =>
		method === 'POST'
			? { body: { customer: { id: (body.customer as { email: string }).email.slice(0, 1) } } }
			: { body: { id: `other-${path}` } },
	);
	const { hints } = await run(
		service,
		'platformCustomers',
		'customer.create',
		{ email: '={{ $json.email }}', returnWholeRecord: true },
		{ items: [...'abcde'].map((name) => ({ email: `${name}@example.com` })) },
	);
	expect(hints).toHaveLength(3);
	const named = hints.map((hint) => hint.match(/other-/g)?.length);
	expect(named).toEqual([1, 1, 3]);
});
