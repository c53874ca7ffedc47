// The polling trigger on documents that the form names: the API has no list of them.
import { Poller } from './host/poller.cts';
import { byId, sandboxFor } from './host/run.cts';

const sandbox = sandboxFor({ customers: 1 });

const path = (id: string) => `/ai-gateway/knowledge-bases/akb-3/documents/${id}.json`;

const watch = (documentIds: unknown, more = {}) =>
	new Poller(sandbox(), {
		event: 'documentStatusChanged',
		knowledgeBaseId: byId('akb-3'),
		documentIds: documentIds as string,
		...more,
	});

/** IDs of the documents of the base. */
const documents = () =>
	sandbox().state.aiDocuments.documents.rows.flatMap(({ id, knowledge_base_id }) =>
		knowledge_base_id === 'akb-3' ? [id] : [],
	);

/** From now on, a document has this state. */
const show = (id: string, body: object) =>
	sandbox().faults.add({ kind: 'status', status: 200, path: path(id), body });

const become = (id: string, index_status: string) => show(id, { index_status });

test('a change is reported once, with the status before it; each poll asks once for each', async () => {
	const [one, other] = documents();
	const poller = watch(`${one}, ${other}, ${one}`);
	expect(await poller.publish()).toBeNull();
	const asked = sandbox().requests.map((request) => request.path);
	expect(asked.sort()).toEqual([path(one), path(other), '/company.json'].sort());
	become(one, 'indexed');
	expect(await poller.poll()).toEqual([
		expect.objectContaining({
			event: 'documentStatusChanged',
			id: one,
			status: 'indexed',
			previousStatus: expect.any(String),
			data: { id: one, index_status: 'indexed' },
		}),
	]);
	expect(await poller.poll()).toBeNull();
});

test.each<[string, object, object, [string | null, string]]>([
	[
		'failed before it was indexed',
		{ status: 'queued', index_status: 'queued' },
		{ status: 'failed', index_status: 'queued' },
		['queued', 'failed'],
	],
	['without a state of its index', { status: 'queued' }, { status: 'ready' }, ['queued', 'ready']],
	[
		'with a new source',
		{ status: 'ready', index_status: 'ready' },
		{ status: 'queued', index_status: 'ready' },
		['ready', 'queued'],
	],
	['that had no state', {}, { status: 'failed' }, [null, 'failed']],
])('one %s is reported once', async (_what, before, after, [previousStatus, status]) => {
	const [one] = documents();
	const fault = show(one, before);
	const poller = watch(one);
	await poller.publish();
	fault.remove();
	show(one, after);
	expect(await poller.poll()).toEqual([
		expect.objectContaining({ id: one, status, previousStatus }),
	]);
	expect(await poller.poll()).toBeNull();
	expect(await poller.publish()).toBeNull();
});

test('more documents than fit into the time of a poll are read in several, each change reported once', async () => {
	const names = Array.from({ length: 40 }, (_each, n) => `ado-many-${n}`);
	const poller = watch(names);
	const base = '^/ai-gateway/.*/ado-many';
	const slow = sandbox().faults.add({ kind: 'delay', ms: 80, path: base });
	const answer = (index_status: string) =>
		sandbox().faults.add({ kind: 'status', status: 200, path: base, body: { index_status } });
	const sweep = async () => {
		const given: unknown[] = [];
		let polls = 0;
		do {
			given.push(...((await poller.poll()) ?? []).map(({ id }) => id));
			polls++;
		} while (poller.memory.includes('"sweep"') && polls < 40);
		expect(polls).toBeGreaterThan(1);
		return given.sort();
	};
	poller.budget = 300;
	const pending = answer('pending');
	expect(await sweep()).toEqual([]);
	pending.remove();
	answer('indexed');
	expect(await sweep()).toEqual([...names].sort());
	slow.remove();
	expect(await poller.poll()).toBeNull();
});

test('a document that is named later is reported with the status that it has', async () => {
	const [one, other] = documents();
	const poller = watch([one]);
	await poller.publish();
	poller.parameters = { ...poller.parameters, documentIds: [one, other] };
	expect(await poller.publish()).toEqual([
		expect.objectContaining({ id: other, previousStatus: null }),
	]);
});

test('one that is not there from the start is named; one that goes later stops nothing', async () => {
	await expect(watch('ado-none').publish()).rejects.toThrow(
		'Document not found (HTTP 404). Nothing found for "akb-3" and "ado-none". Check the Knowledge Base and Document IDs fields.',
	);
	const [one, other] = documents();
	const poller = watch([one, other]);
	await poller.publish();
	sandbox().faults.add({ kind: 'status', status: 404, path: path(one), body: { error: 'Gone' } });
	become(other, 'indexed');
	expect(await poller.poll()).toEqual([expect.objectContaining({ id: other })]);
});

test('a manual execution shows the documents', async () => {
	const [one] = documents();
	expect(await watch(one).poll('manual')).toEqual([expect.objectContaining({ id: one })]);
});

test.each([
	['no document', '', /"Document IDs" must not be empty/],
	['an empty list', [], /"Document IDs" must not be empty/],
	['an expression that gives an empty list', '={{ [] }}', /"Document IDs" must not be empty/],
	['a path', '../x', /"Document IDs" must be an ID/],
])('%s is refused', async (_title, ids, message) => {
	await expect(watch(ids).publish()).rejects.toThrow(message);
	expect(sandbox().requests).toEqual([]);
});

describe.each([500, 400])('a document fails with %i', (status) => {
	const failing = (id: string) =>
		sandbox().faults.add({ kind: 'status', status, path: path(id), body: { error: 'Broken' } });

	test('others are watched, the log names it, and its own changes are reported later', async () => {
		const [one, other] = documents();
		const poller = watch([one, other]);
		await poller.publish();
		const fault = failing(other);
		for (const state of ['indexed', 'failed']) {
			const now = become(one, state);
			expect(await poller.poll()).toEqual([expect.objectContaining({ id: one, status: state })]);
			now.remove();
		}
		expect(poller.warnings.join()).toContain(`couldn't read "${other}": Broken (HTTP ${status})`);
		fault.remove();
		become(one, 'failed');
		expect(await poller.poll()).toBeNull();
		become(other, 'indexed');
		expect(await poller.poll()).toEqual([expect.objectContaining({ id: other })]);
	});

	test('publishing fails if the API refuses it', async () => {
		const [one, other] = documents();
		failing(other);
		const poller = watch([one, other]);
		const published = await poller.publish().catch(({ message }: Error) => message);
		const refused = `"${other}": Broken (HTTP 400)`;
		expect(published).toEqual(status === 400 ? expect.stringContaining(refused) : null);
		const told = [...poller.warnings, published].join();
		expect(told).toContain(`"${other}": Broken (HTTP ${status})`);
	});

	test('the error names one if none can be read', async () => {
		const [one, other] = documents();
		const poller = watch([one, other]);
		await poller.publish();
		failing(one);
		failing(other);
		await expect(poller.poll()).rejects.toThrow(/^"ado-\d+": Broken/);
	});
});
