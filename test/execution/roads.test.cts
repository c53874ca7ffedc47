// Promises on all their roads: each way to call an operation, and each kind of operation. A way or kind that is added is asked for
// all of them.
import type { IRun } from 'n8n-workflow';
import { HostCredentials } from './host/credentials.cts';
import { runNode, told } from './host/host.cts';
import { clearStore } from './host/keyStore.cts';
import { byId } from './host/run.cts';
import { Service, type Handler, type Reply } from './host/service.cts';
import { argsOf, subjects, ways, type Called, type Subject, type WayName } from './host/ways.cts';

type Kind = keyof typeof subjects;

const service = Service.forFile();

beforeEach(clearStore);

const kinds = Object.keys(subjects) as Kind[];

const roads = (Object.keys(ways) as WayName[]).flatMap((way) =>
	kinds.map((kind) => [way, kind] as const),
);

const record = { id: 'cus-1', first_name: 'Lord', deleted: true };

/** Responds to a number of requests, and then as usual. */
const first = (...replies: Array<Reply | undefined>): Handler => {
	let asked = 0;
	return () => (asked < replies.length ? replies[asked++] : { body: record });
};

async function called(
	way: WayName,
	kind: Kind,
	options: {
		times?: number;
		form?: object;
		credential?: object;
		retryOf?: IRun;
		ended?: (run: IRun) => void;
	} = {},
): Promise<Called> {
	const { times = 1, credential = {}, ...more } = options;
	const calls = Array.from({ length: times }, () => argsOf[kind]);
	return await ways[way](subjects[kind], calls, {
		credential: { ...service.credential, ...credential },
		...more,
	});
}

const methods = () => service.received.map(({ method }) => method);

const DOUBT = 'may have gone through';

describe.each(roads)('%s: %s', (way, kind) => {
	const acts = kind === 'act';

	test('is sent once if it acts, and again if not, after a response that was lost', async () => {
		service.behave(first({ status: 502 }));
		const { answers } = await called(way, kind);
		expect(methods()).toHaveLength(acts ? 1 : 2);
		expect(answers[0].includes(DOUBT)).toBe(acts);
	});

	test('is sent again after a refusal that says wait', async () => {
		service.behave(first({ status: 429, body: { error: 'Slow' } }));
		const { answers } = await called(way, kind);
		expect(methods()).toHaveLength(2);
		expect(answers[0]).toContain('cus-1');
	});

	test('is an error if a success says that it failed', async () => {
		service.behave(first({ body: { success: false, message: 'Not possible' } }));
		const { answers } = await called(way, kind);
		expect(methods()).toHaveLength(1);
		expect(answers[0]).toContain('Not possible (HTTP 200)');
	});

	test('follows no redirect', async () => {
		service.behave(first({ status: 307, headers: { location: `${service.baseUrl}/elsewhere` } }));
		const { answers } = await called(way, kind);
		expect(methods()).toHaveLength(1);
		expect(answers[0]).toContain('The API redirected. ');
		expect(answers[0]).not.toContain('customer_id');
	});

	test('shows the key in no error of the API, and in nothing that n8n keeps', async () => {
		service.behave(() => ({ status: 400, body: { error: `Bad ${service.key} of cus-1` } }));
		const { answers, stored } = await called(way, kind);
		expect(answers[0]).toContain('Bad *** of cus-1');
		expect(answers[0] + stored).not.toContain(service.key);
	});

	test("shows the key in no error of n8n's own, and in nothing that n8n keeps", async () => {
		service.behave(first());
		const failing = jest
			.spyOn(HostCredentials.prototype, 'authenticate')
			.mockRejectedValue(new Error(`Can't use ${service.key} here`));
		const { answers, stored } = await called(way, kind);
		failing.mockRestore();
		expect(answers[0]).toContain("Can't use *** here");
		expect(answers[0] + stored).not.toContain(service.key);
		expect(methods()).toEqual([]);
	});

	test('leaves n8n in a dry run only to read', async () => {
		service.behave(first());
		const { answers } = await called(way, kind, { credential: { dryRun: 'on' } });
		expect(methods().filter((method) => method !== 'GET')).toEqual([]);
		if (kind !== 'read') expect(answers[0]).toContain('dryRun');
	});
});

/** What a rule comes to on a way: how many of two equal charges of 5 are sent, and what the second says. */
type Rule = Record<WayName, { form: object; sent: number; says: string }>;

const OWN_AGENTS = "Platform Tools in n8n's own Agents";
const MCP_CLIENT = 'Platform Tools of an MCP client';

const OWN = "can't hold in n8n's own Agents";
const MCP = "can't hold behind the MCP Server Trigger";

type Outcome = Rule[WayName];

const ofNode = (outcome: Outcome) => ({
	'an action node': outcome,
	'a tool of an agent': outcome,
	"a tool of n8n's engine": outcome,
	'a tool of an MCP client': outcome,
});

/** Where n8n keeps an execution that goes on from call to call. */
const KEPT = ['Platform Tools of an agent', "Platform Tools of n8n's engine"] as const;

const ofToolkit = (outcome: Outcome) => ({ [KEPT[0]]: outcome, [KEPT[1]]: outcome });

const everywhere = (outcome: Outcome) => ({
	...ofToolkit(outcome),
	[MCP_CLIENT]: outcome,
	[OWN_AGENTS]: outcome,
});

const once = { onceOnly: true };

const amount = (maxAmount: number) => ({ maxAmount });

const rules: Record<string, Rule> = {
	'Idempotency Key or The Same Change Only Once': {
		...ofNode({ form: { idempotencyKey: 0 }, sent: 1, says: '"skipped":true' }),
		...ofToolkit({ form: once, sent: 1, says: 'done already' }),
		[MCP_CLIENT]: { form: once, sent: 1, says: 'within the last 20 minutes' },
		[OWN_AGENTS]: { form: once, sent: 0, says: OWN },
	},
	'Max Total': {
		...ofNode({ form: { safetyLimits: { maxTotal: 9 } }, sent: 1, says: 'Max Total is 9.00' }),
		'an action node': {
			form: { safetyLimits: { maxTotal: 9 } },
			sent: 0,
			says: 'The 2 items have 10.00 in total, Max Total is 9.00',
		},
		...ofToolkit({
			form: { limits: { maxTotal: 9 } },
			sent: 1,
			says: 'Max Total of this tool is 9, and this call has 5.00 after 5.00',
		}),
		[MCP_CLIENT]: { form: { limits: { maxTotal: 9 } }, sent: 0, says: MCP },
		[OWN_AGENTS]: { form: { limits: { maxTotal: 9 } }, sent: 0, says: OWN },
	},
	'Max Amount, which is exceeded': {
		...ofNode({ form: { safetyLimits: amount(4) }, sent: 0, says: 'Max Amount is 4.00' }),
		...everywhere({ form: { limits: amount(4) }, sent: 0, says: 'Max Amount of this tool is 4' }),
	},
	'Max Amount, which is reached': {
		...ofNode({ form: { safetyLimits: amount(5) }, sent: 2, says: 'cus-1' }),
		...everywhere({ form: { limits: amount(5) }, sent: 2, says: 'cus-1' }),
	},
};

describe.each(Object.entries(rules))('%s', (_name, rule) => {
	test.each(Object.entries(rule) as Array<[WayName, Rule[WayName]]>)(
		'%s: holds, or the call is refused',
		async (way, { form, sent, says }) => {
			service.behave(first());
			const { answers } = await called(way, 'act', { times: 2, form });
			expect(answers.at(-1)).toContain(says);
			expect(methods()).toHaveLength(sent);
		},
	);
});

describe('Max Calls', () => {
	const calls = KEPT.flatMap((way) => kinds.map((kind) => [way, kind] as const));

	test.each(calls)('%s: counts %s', async (way, kind) => {
		service.behave(first());
		const form = { limits: { maxCalls: 1 } };
		const { answers } = await called(way, kind, { times: 2, form });
		expect(answers[1]).toContain('Max Calls of this tool is 1, and all calls are used up');
		expect(methods()).toHaveLength(1);
	});
});

// Only Max Calls is about reads, too.
test.each([
	...kinds.map((kind) => ['maxCalls', kind] as const),
	...['maxChanges', 'maxRecipients', 'maxTotal'].map((limit) => [limit, 'act'] as const),
])('where n8n keeps nothing, %s is refused for %s', async (limit, kind) => {
	service.behave(first());
	const form = { limits: { [limit]: 9 } };
	for (const [way, says] of [[MCP_CLIENT, MCP] as const, [OWN_AGENTS, OWN] as const]) {
		const { answers } = await called(way, kind, { form });
		expect(answers).toEqual([expect.stringContaining(says)]);
	}
	expect(methods()).toEqual([]);
});

describe("n8n's Retry after all attempts were lost", () => {
	const outcomes: Record<Kind, { sent: number; says: string }> = {
		act: { sent: 0, says: 'In doubt' },
		change: { sent: 1, says: '"first_name":"Lord"' },
		deletion: { sent: 1, says: 'If the ID is wrong, there was nothing to delete.' },
		read: { sent: 1, says: '"first_name":"Lord"' },
	};

	test.each(Object.entries(outcomes) as Array<[Kind, (typeof outcomes)[Kind]]>)(
		'of an action node: %s',
		async (kind, { sent, says }) => {
			const { node, form } = subjects[kind];
			const run = async (retryOf?: IRun) =>
				await runNode({
					node,
					parameters: form((name) => `={{ $json.${name} }}`) as never,
					credential: service.credential,
					items: [argsOf[kind]],
					retryOf,
				});
			service.behave(() => ({ status: 502 }));
			const { run: failed } = await run();
			const gone = { status: 404, body: { error: 'This customer does not exist' } };
			service.behave(({ method }) => (method === 'DELETE' ? gone : { body: record }));
			const { items, error } = await run(failed);
			expect(told(error) + JSON.stringify(items.map(({ json }) => json))).toContain(says);
			expect(methods()).toHaveLength(sent);
		},
	);
});

describe('Max Recipients', () => {
	const newsletters: Record<string, Subject> = {
		'a test email': {
			node: 'platformNewsletters',
			tool: 'send_newsletter_test',
			form: (of) => ({
				...{ resource: 'newsletter', operation: 'sendTest' },
				...{ newsletterId: byId(of('newsletter_id')), testEmail: of('test_email') },
			}),
		},
		'the queue': {
			node: 'platformNewsletters',
			tool: 'queue_newsletter',
			form: (of) => ({
				...{ resource: 'newsletter', operation: 'queue', newsletterId: byId(of('newsletter_id')) },
			}),
		},
	};
	const inOneExecution = [
		'a tool of an agent',
		"a tool of n8n's engine",
		'Platform Tools of an agent',
		"Platform Tools of n8n's engine",
	] satisfies WayName[];
	const cases = inOneExecution.flatMap((way) =>
		Object.keys(newsletters).map((what) => [way, what] as const),
	);

	test.each(cases)('%s: counts %s', async (way, what) => {
		service.behave(({ method }) => ({
			body:
				method === 'GET'
					? { id: 'nwl-1', total_recipients: 1 }
					: { newsletter_id: 'nwl-1', status: 'queued', sent: true, queued_recipients: 1 },
		}));
		// Another test of the same newsletter, and another newsletter.
		const calls = ['1', '2', '3'].map((n) => ({
			newsletter_id: what === 'the queue' ? `nwl-${n}` : 'nwl-1',
			...(what === 'a test email' && { test_email: `a${n}@example.com` }),
		}));
		const form = way.startsWith('Platform')
			? { limits: { maxRecipients: 2 } }
			: { safetyLimits: { maxTotal: 2 } };
		const { credential } = service;
		const { answers } = await ways[way](newsletters[what], calls, { credential, form });
		expect(answers[2]).toContain('Max Recipients');
		expect(methods().filter((method) => method !== 'GET')).toHaveLength(2);
	});
});
