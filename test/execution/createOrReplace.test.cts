// Create or Replace of documents: n8n's store knows what was sent under a name. What is the same isn't sent, what isn't known is asked
// about, and a document of which nothing is known for sure is never said to be there.
import type { IDataObject } from 'n8n-workflow';
import { clearStore, fillStore, lockStore, store } from './host/keyStore.cts';
import { runNode } from './host/host.cts';
import { areaOf, byId, credentialOf } from './host/run.cts';
import { randomFrom } from '../sandbox/random.cts';
import { seedsOf, shareOf, tries } from '../share.cts';

const OPERATION = 'document.createOrReplace';

const { sandbox, run, rowsOf, one, faultOf, sent } = areaOf('platformAiGateway', { latencyMs: 1 });

beforeEach(() => {
	clearStore();
	sandbox().reset();
});

const TEXT_BASE = byId('akb-1');

/** One whose content is in its vector store, as ingestions need it. */
const REMOTE_BASE = byId('akb-3');

const text = (content: string, more: object = {}) => ({
	...{ knowledgeBaseId: TEXT_BASE, contentFrom: 'text', name: 'refunds.md', content },
	...more,
});

const checksum = (digit: string) => digit.repeat(64);

const remote = (sha256: string, more: object = {}) => ({
	...{ knowledgeBaseId: REMOTE_BASE, contentFrom: 'source', name: 'handbook.md' },
	...{ url: 'https://files.example.com/handbook.md', contentType: 'text/markdown', sha256 },
	...more,
});

const replace = async (form: object) => await one(OPERATION, form);

const documents = (name: string) =>
	sandbox().state.aiDocuments.documents.rows.filter((row) => row.name === name);

const writes = () => sent().filter((each) => !each.startsWith('GET'));

describe('a text', () => {
	test('is added, left alone while it is the same, and added anew with the ID of the old one', async () => {
		const first = await replace(text('14 days'));
		expect(first).toMatchObject({ id: expect.any(String), action: 'created' });
		expect(await replace(text('14 days'))).toMatchObject({
			name: 'refunds.md',
			action: 'unchanged',
		});
		expect(writes()).toHaveLength(1);

		const second = await replace(text('30 days'));
		expect(second).toMatchObject({
			action: 'created',
			replaced_document_id: first.id,
			warning: expect.stringContaining(`The earlier one, ${String(first.id)}, is still found`),
		});
		expect(second.id).not.toBe(first.id);
		expect((await replace(text('30 days'))).action).toBe('unchanged');
		// The same as long ago isn't the same as now.
		expect(await replace(text('14 days'))).toMatchObject({
			action: 'created',
			replaced_document_id: second.id,
		});
		expect(documents('refunds.md')).toHaveLength(3);
	});

	test.each<[string, object]>([
		['metadata', { additionalFields: { section: 'Other' } }],
		['the access list', { additionalFields: { acl: '["group:finance"]' } }],
	])('with another value of %s is not the same', async (_what, more) => {
		await replace(text('14 days'));
		expect((await replace(text('14 days', more))).action).toBe('created');
	});

	test('is known by an ID of the user, whatever its name', async () => {
		const of = (documentKey: string, name: string) => text('Hello.', { documentKey, name });
		await replace(of('a/readme.md', 'readme.md'));
		await replace(of('b/readme.md', 'readme.md'));
		expect((await replace(of('a/readme.md', 'readme.md'))).action).toBe('unchanged');
		expect(documents('readme.md')).toHaveLength(2);
		expect(await replace(of('a/readme.md', 'Read me'))).toHaveProperty('replaced_document_id');
	});

	test('is another one in another knowledge base', async () => {
		await replace(text('14 days'));
		const other = await replace(text('14 days', { knowledgeBaseId: byId('akb-5') }));
		expect(other).toMatchObject({ action: 'created' });
		expect(other).not.toHaveProperty('replaced_document_id');
	});

	test('is sent anyway if the user wants that', async () => {
		await replace(text('14 days'));
		const again = await replace(text('14 days', { options: { sendUnchanged: true } }));
		expect(again).toHaveProperty('replaced_document_id');
	});

	test('can be a file, and HTML becomes its text', async () => {
		const file = async (content: string) => {
			const data = Buffer.from(content).toString('base64');
			const files = { data: { data, mimeType: 'text/html', fileName: 'a.html' } };
			const form = { knowledgeBaseId: TEXT_BASE, contentFrom: 'file' };
			return (await run(OPERATION, form, { files })).items[0].json;
		};
		const page = '<html><body><p>14 days</p></body></html>';
		expect(await file(page)).toMatchObject({ action: 'created', warning: /HTML/ });
		expect((await file(page)).action).toBe('unchanged');
		expect(documents('a.html')[0].passages[0].content).toBe('14 days');
	});
});

describe('a source', () => {
	test('is ingested, left alone with the same checksum, and replaced with another one', async () => {
		const first = await replace(remote(checksum('a')));
		expect(first).toMatchObject({ action: 'created' });
		// A signed URL is another one each time.
		const signed = { url: 'https://files.example.com/handbook.md?signature=2' };
		expect((await replace(remote(checksum('a'), signed))).action).toBe('unchanged');
		expect(await replace(remote(checksum('b')))).toMatchObject({
			id: first.id,
			action: 'updated',
			source_version: 2,
		});
		expect((await replace(remote(checksum('b')))).action).toBe('unchanged');
		expect(writes().map((each) => each.split(' ')[0])).toEqual(['POST', 'PUT']);
		expect(documents('handbook.md')).toHaveLength(1);
	});

	test('without a checksum is replaced each time: nobody knows what is behind the URL', async () => {
		const first = await replace(remote(''));
		expect(await replace(remote(''))).toMatchObject({ id: first.id, action: 'updated' });
	});

	test('with other metadata is a new document: the API only replaces the source', async () => {
		const first = await replace(remote(checksum('a')));
		const more = { documentKey: 'handbook.md', sourceFields: { metadata: '{"team": "b"}' } };
		expect(await replace(remote(checksum('a'), more))).toMatchObject({
			action: 'created',
			replaced_document_id: first.id,
		});
	});

	test('in place of a text is a new document', async () => {
		const same = { knowledgeBaseId: REMOTE_BASE, name: 'handbook.md' };
		const first = await replace(text('14 days', same));
		const second = await replace(remote(checksum('a')));
		expect(second).toMatchObject({ action: 'created', replaced_document_id: first.id });
		const third = await replace(text('14 days', same));
		expect(third).toMatchObject({ action: 'created', replaced_document_id: second.id });
	});
});

test.each<[string, object, string]>([
	['RTF', text('{\\rtf1 Hello}'), 'is RTF'],
	['HTML without text', text('<html><body></body></html>'), 'HTML that shows none'],
	[
		'an access list that gives nothing',
		text('14 days', { additionalFields: { acl: '={{ "" }}' } }),
		'Access List (JSON)',
	],
	[
		'an access list with a blank entry',
		text('14 days', { additionalFields: { acl: '[""]' } }),
		'Access List (JSON)',
	],
	[
		'nested metadata of a source',
		remote(checksum('a'), { sourceFields: { metadata: '{"a": {"b": 1}}' } }),
		'must only have text, number, boolean and null values',
	],
	['a blank name', text('14 days', { name: ' ' }), 'Name'],
])('%s is refused before anything is sent', async (_what, form, says) => {
	expect(await faultOf(OPERATION, form)).toContain(says);
	expect(sent()).toEqual([]);
});

describe('if the response is lost', () => {
	const loseOne = async (form: object) => {
		const fault = sandbox().faults.add({ kind: 'reset-after', method: 'POST' });
		const requests = { retryTime: 0 };
		expect(await faultOf(OPERATION, { ...form, requests })).not.toBe('');
		fault.remove();
		sandbox().clearRequests();
	};

	/** The code that the node asks for. */
	const codeFor = async (form: object) => {
		const fault = await faultOf(OPERATION, form);
		expect(fault).toContain('Options → Earlier Document');
		return /the code ([0-9a-f]{4}) /.exec(fault)![1];
	};

	const answered = (answer: string) => ({ options: { earlierDocument: answer } });

	test('nothing is sent until a person says which document it is', async () => {
		await loseOne(text('14 days'));
		const code = await codeFor(text('14 days'));
		expect(await codeFor(text('30 days'))).toBe(code);
		const [{ id }] = documents('refunds.md');
		// Without the code, it may be an old word.
		for (const answer of [id, 'none', `${id} 0000`])
			expect(await codeFor(text('30 days', answered(answer)))).toBe(code);
		expect(sent()).toEqual([]);
		expect(await replace(text('30 days', answered(`${id} ${code}`)))).toMatchObject({
			replaced_document_id: id,
		});
		expect((await replace(text('30 days'))).action).toBe('unchanged');
	});

	test('an answer that stays in the form does not count for the next doubt', async () => {
		await loseOne(text('14 days'));
		const none = answered(`none ${await codeFor(text('14 days'))}`);
		await loseOne(text('14 days', none));
		const code = await codeFor(text('14 days', none));
		expect(none.options.earlierDocument).not.toContain(code);
		expect(sent()).toEqual([]);
	});

	test('and the answered one is refused, the doubt stays: only the person knows which document it is', async () => {
		await loseOne(text('14 days'));
		const [{ id }] = documents('refunds.md');
		const known = answered(`${id} ${await codeFor(text('30 days'))}`);
		const fault = sandbox().faults.add({ kind: 'status', status: 403, body: { error: 'No' } });
		expect(await faultOf(OPERATION, text('30 days', known))).not.toBe('');
		fault.remove();
		await codeFor(text('30 days'));
	});

	test('or that there is none', async () => {
		await loseOne(text('14 days'));
		const none = answered(`none ${await codeFor(text('14 days'))}`);
		const added = await replace(text('14 days', none));
		expect(added).toMatchObject({ action: 'created' });
		expect(added).not.toHaveProperty('replaced_document_id');
		expect((await replace(text('14 days'))).action).toBe('unchanged');
	});

	test('of a replaced source, a person says that it is there', async () => {
		const first = await replace(remote(checksum('a')));
		const fault = sandbox().faults.add({ kind: 'reset-after', method: 'PUT' });
		await faultOf(OPERATION, remote(checksum('b'), { requests: { retryTime: 0 } }));
		fault.remove();
		const code = await codeFor(remote(checksum('b')));
		const known = answered(`${String(first.id)} ${code}`);
		expect(await replace(remote(checksum('b'), known))).toMatchObject({
			id: first.id,
			action: 'updated',
		});
		expect((await replace(remote(checksum('b')))).action).toBe('unchanged');
	});

	test('or has no ID, it is said, and nothing is sent until a person says which it is', async () => {
		const fault = sandbox().faults.add({
			...{ kind: 'status', method: 'POST', status: 202, applied: true },
			body: { index_status: 'queued' },
		});
		const { warning } = await replace(remote(checksum('a')));
		expect(warning).toContain(
			'The API returned no ID. The next run sends nothing, and asks for its ID. A search shows it.',
		);
		fault.remove();
		const code = await codeFor(remote(checksum('b')));
		expect(writes()).toHaveLength(1);
		const [{ id }] = documents('handbook.md');
		const known = answered(`${id} ${code}`);
		expect(await replace(remote(checksum('b'), known))).toMatchObject({ id, action: 'updated' });
	});

	test('one that was refused is simply sent by the next run', async () => {
		const fault = sandbox().faults.add({ kind: 'status', status: 403, body: { error: 'No' } });
		expect(await faultOf(OPERATION, text('14 days'))).not.toBe('');
		fault.remove();
		expect((await replace(text('14 days'))).action).toBe('created');
	});

	test('a document from elsewhere can be taken over', async () => {
		const { id } = await one('document.add', { ...text('14 days'), options: {} });
		const known = answered(String(id));
		expect(await replace(text('30 days', known))).toMatchObject({ replaced_document_id: id });
		// From now on the node knows better.
		expect((await replace(text('30 days', known))).action).toBe('unchanged');
	});
});

describe("n8n's store", () => {
	test('that fails: nothing is sent', async () => {
		lockStore();
		expect(await faultOf(OPERATION, text('14 days'))).toContain('so nothing was sent');
		expect(sent()).toEqual([]);
	});

	test('that is full: nothing is sent that would push another document out', async () => {
		await replace(text('14 days'));
		fillStore(99_950);
		expect(await faultOf(OPERATION, text('Hello.', { name: 'b.md' }))).toContain('no room left');
		expect(writes()).toHaveLength(1);
		expect((await replace(text('14 days'))).action).toBe('unchanged');
	}, 300_000);

	/** One run over a folder. */
	interface Round {
		content: string;
		/** The store fails from this call on, as if n8n had been ended. */
		cut?: number;
		isDry?: boolean;
	}

	/**
	 * Runs over a folder, one after another, then twice more without a fault. A document that is in doubt is answered as a person
	 * does who searches for it. After each run, whatever is there twice must have been said.
	 * @returns how many calls of the store each run has made, before a document was sent and in all
	 */
	async function play(names: string[], rounds: Round[]): Promise<Array<[number, number]>> {
		clearStore();
		sandbox().reset();
		const said = new Set<unknown>();
		const answers = new Map<string, string>();
		const textOf = (content: string, name: string) => `${content} in ${name}`;
		const unsaid = (name: string) => documents(name).filter(({ id }) => !said.has(id));
		const counts: Array<[number, number]> = [];
		const pass = async ({ content, cut = Infinity, isDry }: Round) => {
			const before = names.map((name) => documents(name).length);
			let [early, calls] = [0, 0];
			sandbox().clearRequests();
			store.fault = () => {
				if (writes().length === 0) early++;
				if (++calls >= cut) throw new Error('n8n is gone');
			};
			const items = names.map((name) => ({
				...{ name, content: textOf(content, name) },
				answer: answers.get(name) ?? 'none',
			}));
			const form = text('={{ $json.content }}', {
				...{ name: '={{ $json.name }}', options: { earlierDocument: '={{ $json.answer }}' } },
			});
			const { baseUrl, key } = sandbox();
			const credential = { baseUrl, apiKey: key, dryRun: isDry ? 'on' : 'off' };
			const { items: rows } = await run(OPERATION, form, {
				...{ items, credential, settings: { onError: 'continueRegularOutput' } },
			});
			store.fault = undefined;
			counts.push([early, calls]);
			const open: string[] = [];
			for (const [index, name] of names.entries()) {
				const { json } = rows[index];
				const error = String(json.error ?? '');
				const found = documents(name);
				const about = JSON.stringify([rounds, name, content, json]);
				const isSent = found.length > before[index];
				const replaced = json.replaced_document_id;
				if (replaced) expect(found.map(({ id }) => id)).toContain(replaced);
				if (!isDry) said.add(replaced);
				if (isDry || error !== '') expect([about, isSent]).toEqual([about, false]);
				if (isDry) continue;
				const isKept = error === '' && !String(json.warning).includes("isn't remembered");
				if (!isKept) open.push(name);
				else {
					const left = unsaid(name).map(({ passages }) => passages[0].content);
					expect([about, left]).toEqual([about, [textOf(content, name)]]);
				}
				const code = /the code ([0-9a-f]{4}) /.exec(error)?.[1];
				if (!code) continue;
				const earlier = unsaid(name).map(({ id }) => id);
				expect([about, earlier.length < 2]).toEqual([about, true]);
				answers.set(name, `${earlier[0] ?? 'none'} ${code}`);
			}
			return open;
		};
		for (const round of rounds) await pass(round);
		for (const content of [rounds.at(-1)!.content, 'last']) {
			const open = await pass({ content });
			if (open.length > 0) expect([rounds, await pass({ content })]).toEqual([rounds, []]);
		}
		return counts;
	}

	const folder = Array.from({ length: 12 }, (_each, n) => `d${n}.md`);

	test.each<[string, string[], Round[]]>([
		['a new document is sent', ['a.md'], [{ content: 'one' }]],
		[
			'one is changed, then changed back',
			['a.md'],
			[{ content: 'one' }, { content: 'two' }, { content: 'one' }],
		],
		['the same one is looked up', ['a.md'], [{ content: 'one' }, { content: 'one' }]],
		[
			'a dry run looks at one',
			['a.md'],
			[{ content: 'one' }, { content: 'two', isDry: true }, { content: 'two' }],
		],
		['many are looked up', folder, [{ content: 'one' }, { content: 'one' }]],
	])(
		'that fails at any call while %s: nothing is there twice, or lost, unsaid',
		async (_what, names, rounds) => {
			const counts = await play(names, rounds);
			const at = Math.min(1, rounds.length - 1);
			const [early, calls] = counts[at];
			const cuts = Array.from({ length: calls }, (_each, index) => index + 1);
			expect(cuts.length).toBeGreaterThan(1);
			for (const cut of [...shareOf(cuts.slice(0, early), 8), ...shareOf(cuts.slice(early), 2)])
				await play(
					names,
					rounds.map((round, index) => (index === at ? { ...round, cut } : round)),
				);
		},
		300_000,
	);

	test('that fails twice while dry runs look at a document: what is left proves nothing', async () => {
		const of = (...cuts: number[]): Round[] => [
			{ content: 'one' },
			...cuts.map((cut) => ({ content: 'two', isDry: true, cut })),
			{ content: 'two' },
		];
		// The calls that remove what a look has recorded.
		const pairs = [3, 6, 9, 12].flatMap((first) => [3, 8, 11, 14].map((next) => [first, next]));
		for (const pair of shareOf(pairs, 8, 1)) await play(['a.md'], of(...pair));
	}, 300_000);

	test.each(seedsOf(1, 8))(
		'that fails several times at drawn calls, seed %i: nothing is there twice, or lost, unsaid',
		async (seed) => {
			const random = randomFrom(seed);
			for (let scene = 0; scene < tries(2, 4); scene++) {
				const rounds = Array.from({ length: 4 }, () => ({
					content: random.pick(['one', 'two']),
					cut: random.pick([undefined, random.int(1, 12)]),
					isDry: random.int(1, 4) === 1,
				}));
				await play(['a.md'], rounds);
			}
		},
		300_000,
	);
});

test('items and executions with the same name take turns', async () => {
	const forms = [text('14 days'), text('14 days')];
	const results = await Promise.all(forms.map(async (form) => await replace(form)));
	expect(results.map(({ action }) => action).sort()).toEqual(['created', 'unchanged']);
	const items = ['30 days', '30 days', '14 days'].map((content) => ({ content }));
	const rows = await rowsOf(OPERATION, text('={{ $json.content }}'), { items });
	expect(rows.map(({ action }) => action)).toEqual(['created', 'unchanged', 'created']);
});

test('a dry run tells what would be done, and remembers nothing', async () => {
	const credential = { baseUrl: sandbox().baseUrl, apiKey: sandbox().key, dryRun: 'on' };
	const dry = async (...contents: string[]) => {
		const items = contents.map((content) => ({ content }));
		return await rowsOf(OPERATION, text('={{ $json.content }}'), { items, credential });
	};
	expect((await dry('14 days', '14 days')).map(({ action }) => action)).toEqual([
		'created',
		'unchanged',
	]);
	const first = await replace(text('14 days'));
	const [same] = await dry('14 days');
	const [other] = await dry('30 days');
	expect([same.action, other.action, other.replaced_document_id]).toEqual([
		'unchanged',
		'created',
		first.id,
	]);
	expect(documents('refunds.md')).toHaveLength(1);
});

test('forty documents, of which two have changed, take two requests and few calls of the store', async () => {
	const items = Array.from({ length: 40 }, (_each, n) => ({
		name: `d${n}.md`,
		content: `Text ${n}`,
	}));
	const form = text('={{ $json.content }}', { name: '={{ $json.name }}' });
	await rowsOf(OPERATION, form, { items });
	sandbox().clearRequests();
	store.calls = 0;
	for (const n of [3, 37]) items[n].content = 'Another';
	const rows = await rowsOf(OPERATION, form, { items });
	expect(rows.flatMap(({ action }, n) => (action === 'created' ? [n] : []))).toEqual([3, 37]);
	expect(writes()).toHaveLength(2);
	expect(store.calls).toBeLessThan(80);
});

test.each(seedsOf(1, 4))(
	'drawn folder %i: the knowledge base has each text once, but for those that are named as replaced',
	async (seed) => {
		const random = randomFrom(seed);
		const names = ['a.md', 'b.md', 'c.md'];
		const current = new Map<string, string>();
		const replaced = new Set<unknown>();
		let added = 0;
		for (let round = 0; round < 40; round++) {
			const name = random.pick(names);
			const content = `Text ${random.int(1, 3)}`;
			const row: IDataObject = await replace(text(content, { name }));
			const isSame = current.get(name) === content;
			expect([round, row.action]).toEqual([round, isSame ? 'unchanged' : 'created']);
			if (!isSame) added++;
			if (row.replaced_document_id) replaced.add(row.replaced_document_id);
			current.set(name, content);
		}
		const all = names.flatMap(documents);
		expect(all).toHaveLength(added);
		const left = all.filter(({ id }) => !replaced.has(id));
		expect(left.map(({ name, passages }) => [name, passages[0].content]).sort()).toEqual(
			[...current].sort(),
		);
	},
	300_000,
);

describe('Leave Out Documents', () => {
	const QUESTION = 'How do I reset my password?';

	test('of a search, has no passage of them come', async () => {
		const search = async (additionalFields: object) =>
			await rowsOf('knowledgeBase.search', {
				...{ knowledgeBaseId: TEXT_BASE, query: QUESTION, additionalFields },
			});
		const all = await search({});
		const [{ document_id: best }] = all;
		const left = await search({ leaveOutDocuments: `${String(best)}, ado-none` });
		expect(left).toEqual(all.filter(({ document_id }) => document_id !== best));
		expect(left.length).toBeLessThan(all.length);
	});

	test('of the tool, has others take their place', async () => {
		const answer = async (options: object) => {
			const { items } = await runNode({
				node: 'platformKnowledgeBaseTool',
				credential: credentialOf(sandbox()),
				parameters: { knowledgeBaseId: TEXT_BASE, question: QUESTION, passages: 1, options },
			});
			return String(items[0].json.response);
		};
		const best = await answer({});
		const [first] = await rowsOf('knowledgeBase.search', {
			...{ knowledgeBaseId: TEXT_BASE, query: QUESTION },
		});
		const next = await answer({ leaveOutDocuments: [first.document_id] });
		expect(best).toContain(`Source: ${String(first.document_name)}`);
		expect(next).toMatch(/^[^]+Source: /);
		expect(next).not.toContain(`Source: ${String(first.document_name)}`);
		expect(next.match(/Source: /g)).toHaveLength(1);
	});
});
