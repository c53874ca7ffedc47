// What the examples promise that mail, check a login, tag, or report.
import { textOf } from '../../n8n/mailServer.cts';
import { codeOf } from '../../sandbox/areas/identity.cts';
import { noneTwice, type World, type Year } from './scenes.cts';

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

export const others: Year[] = [
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
	},
	{
		file: '19-find-and-tag-customers.json',
		occasion: () => ({ 'Execute workflow': [{}] }),
		isDone: true,
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
		isDone: true,
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
];
