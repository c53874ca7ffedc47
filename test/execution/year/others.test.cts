// What the examples promise that mail, check a login, tag, or report.
import { textOf } from '../../n8n/mailServer.cts';
import { codeOf } from '../../sandbox/areas/identity.cts';
import { noneTwice, type Scene, type World } from './scenes.cts';
import { overAYear } from './overAYear.cts';

/** Newsletters that were queued. */
const queued = ({ sandbox }: World) =>
	sandbox.state.newsletters.newsletters.rows.filter(
		({ title, status }) => status === 'queued' && /^Product update [A-Z]/.test(title),
	);

const suppressed = ({ sandbox }: World, email: unknown) =>
	sandbox.state.unsubscribes.suppressions.get(String(email).toLowerCase()) !== undefined;

/** IDs of the customers who want newsletters. */
const wanting = (world: World) => {
	const { customers, newsletters } = world.sandbox.state;
	return customers.customers.rows
		.filter(({ id, email }) => !newsletters.withoutConsent.has(id) && !suppressed(world, email))
		.map(({ id }) => id);
};

const inGermany = ({ sandbox }: World) =>
	sandbox.state.customers.customers.rows.filter(({ address }) => address?.country === 'DE');

/** A code that is right at the moment. */
function rightCode({ sandbox }: World): string {
	const user = sandbox.state.identity.users.rows.find((row) => row.external_id === 'user-1');
	return codeOf(String(user?.otp?.secret));
}

const responses = ({ runs }: World) => runs.flatMap(({ response }) => response ?? []);

/** Logins with a right code, each with a refusal of another request. */
const failingLogins =
	(status: number): Scene =>
	async ({ world, year, run }) => {
		const { faults, requests } = world.sandbox;
		await run(await year.occasion(world, 0));
		const count = requests.length;
		expect(count).toBeGreaterThan(1);
		for (let nth = 1; nth <= count; nth++) {
			const body = { error: 'Not now' };
			const fault = faults.add({ kind: 'status', status, body, nth, times: 1 });
			await run(await year.occasion(world, nth));
			expect([fault.hits, responses(world).at(-1)?.statusCode]).toEqual([1, 503]);
			fault.remove();
		}
		await run(await year.occasion(world, 0));
	};

const NOTES = ['4.2', '4.1', '4.0'].map((version) => ({
	version,
	summary: `What is new in ${version}`,
	details: `https://www.example.com/${version}`,
	breaking: version === '4.0',
}));

/** Entries that the example has published, with their data. */
const published = ({ sandbox }: World) =>
	sandbox.state.contentBox.contents.rows.filter(({ title }) => title.startsWith('Version 4'));

const DOCUMENTS = ['Travel', 'Holidays', 'Laptops'].map((name) => ({
	name,
	section: 'House',
	content: `${name} are in the handbook, with all that one has to know.`,
}));

/** Documents that were added, by the names of the example. */
const documents = ({ sandbox }: World, names: string[]) =>
	sandbox.state.aiDocuments.documents.rows.filter(({ name }) => names.includes(name));

overAYear([
	{
		file: '09-publish-content.json',
		occasion: () => ({ 'Execute workflow': [{}], 'Release notes': NOTES }),
		isDone: 'Each run creates another content type.',
		columns: { node: 'Release notes', names: ['summary'] },
		never: {
			'An entry is created once by a run': (world) =>
				noneTwice(published(world).map(({ type_id, title }) => `${type_id} ${title}`)),
		},
		holds: {
			'Each note is published with its data': (world) => {
				const runs = world.runs.filter(({ isNew }) => isNew).length;
				expect(published(world)).toHaveLength(NOTES.length * runs);
				for (const { state, data } of published(world)) {
					expect([state, NOTES]).toEqual(['public', expect.arrayContaining([data])]);
				}
			},
		},
	},
	{
		file: '11-build-a-knowledge-base.json',
		// Its last node only compares.
		occasion: () => ({ 'Execute workflow': [{}], Documents: DOCUMENTS, Compare: [{}] }),
		isDone: 'Each run creates another knowledge base.',
		columns: { node: 'Documents', names: ['content'] },
		never: {
			'A document is added once to a knowledge base': (world) =>
				noneTwice(
					documents(
						world,
						DOCUMENTS.map(({ name }) => name),
					).map((row) => `${row.knowledge_base_id} ${row.name}`),
				),
		},
		holds: {
			'All documents are in the knowledge base': (world) =>
				expect(
					documents(
						world,
						DOCUMENTS.map(({ name }) => name),
					),
				).toHaveLength(DOCUMENTS.length * world.runs.filter(({ isNew }) => isNew).length),
		},
	},
	{
		file: '18-add-pdf-files-to-a-knowledge-base.json',
		occasion: (_world, month) => ({
			Upload: [{ File: { filename: `handbook-${month}.pdf` } }],
			'Extract text': [{ text: `All rules of month ${month}.` }],
		}),
		isDone: 'A file that is sent again is added again.',
		columns: { node: 'Extract text', names: ['text'] },
		never: {
			'A document has the text of its file': (world) => {
				const names = world.occasions.map((month) => `handbook-${month}.pdf`);
				const texts = documents(world, names).map(({ passages }) =>
					passages.map(({ content }) => content).join(),
				);
				expect(texts.filter((text) => !text.startsWith('All rules of'))).toEqual([]);
			},
		},
		holds: {
			'Each file that was sent is a document': (world) => {
				const names = world.occasions.map((month) => `handbook-${month}.pdf`);
				expect(documents(world, names)).toHaveLength(
					world.runs.filter(({ isNew }) => isNew).length,
				);
			},
		},
	},
	{
		file: '08-send-a-newsletter.json',
		occasion: () => ({ 'Execute workflow': [{}] }),
		never: {
			'A newsletter goes out once a month': (world) =>
				noneTwice(queued(world).map(({ title }) => title)),
			'Nobody gets it who does not want it': (world) => {
				const wanted = wanting(world);
				for (const { recipients } of queued(world)) {
					expect(recipients.filter((id) => !wanted.includes(id))).toEqual([]);
				}
			},
		},
		holds: {
			'It goes to all who want it': (world) => {
				expect(queued(world)).toHaveLength(world.occasions.length);
				for (const { recipients } of queued(world)) expect(recipients).toEqual(wanting(world));
			},
		},
	},
	{
		file: '10-step-up-a-risky-login.json',
		occasion: (world, month) => ({
			Login: [
				{
					body: {
						session: `session-${month}`,
						user: 'user-1',
						ip: '203.0.113.7',
						userAgent: 'Mozilla/5.0',
						code: rightCode(world),
					},
				},
			],
		}),
		// Whoever signs in tries again. Nobody retries an execution.
		isDelivered: true,
		goesOn: true,
		never: {
			'A right code is never called wrong': (world) => {
				for (const { statusCode } of responses(world)) expect([200, 503]).toContain(statusCode);
			},
		},
		holds: {
			'Whoever gives the right code is let in': (world) =>
				expect(responses(world).at(-1)).toMatchObject({ statusCode: 200, body: { allowed: true } }),
		},
		own: Object.fromEntries(
			[401, 429, 500].map(
				(status) => [`${status} at each request`, failingLogins(status)] as const,
			),
		),
	},
	{
		file: '19-find-and-tag-customers.json',
		occasion: () => ({ 'Execute workflow': [{}] }),
		never: {
			'Nobody else is tagged': (world) =>
				expect(
					world.sandbox.state.customers.customers.rows.filter(
						({ tags, address }) => tags.includes('dach') && address?.country !== 'DE',
					),
				).toEqual([]),
			'No tag is added twice': (world) => {
				for (const { tags } of inGermany(world)) noneTwice(tags);
			},
		},
		holds: {
			'All customers in Germany are tagged': (world) => {
				expect(inGermany(world).length).toBeGreaterThan(0);
				for (const { tags } of inGermany(world)) expect(tags).toContain('dach');
			},
		},
	},
	{
		file: '21-mail-weekly-figures.json',
		occasion: () => ({ 'Each Monday at 8': [{}] }),
		isDone: 'Each run sends another email.',
		never: {
			'No mail lacks a figure': ({ mails }) => {
				for (const mail of mails) expect(textOf(mail)).not.toMatch(/undefined|not known/);
			},
		},
		holds: {
			'Each run mails the figures once': ({ mails, runs }) =>
				expect(mails).toHaveLength(runs.filter(({ isNew }) => isNew).length),
		},
	},
]);
