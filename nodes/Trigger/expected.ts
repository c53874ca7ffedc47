// Webhooks that this process has registered, beside those that n8n has saved. n8n saves their state only after all triggers of
// the workflow are up, which takes up to half a minute. And it may replace the state later: a polling trigger of the workflow
// that wasn't registered anew saves all of the workflow's data as it was when n8n loaded it.
import type { INode, IWorkflowMetadata, WorkflowExecuteMode } from 'n8n-workflow';

import { hashOf } from '../engine/base/data';
import { equal } from './secrets';
import type { Accepted, Registration } from './state';

interface Context {
	getWorkflow(): IWorkflowMetadata;
	getNode(): INode;
	getMode(): WorkflowExecuteMode;
}

export interface Given {
	event: string;
	secret: string;
	node: string;
}

/**
 * - `sent`: accepted, since a service may deliver before it responds
 * - `failed`: refused, unless n8n has saved it
 * - `registered`: accepted, and older webhooks of its event aren't any more
 * - `removed`: refused, whatever n8n has saved
 */
type Phase = 'sent' | 'failed' | 'registered' | 'removed';

interface Expected {
	webhook: Accepted;
	phase: Phase;
}

const all = new Map<string, Expected[]>();

/** Listening in the editor has webhooks of its own. */
const nodeKey = (context: Context) =>
	`${context.getWorkflow().id} ${context.getNode().id} ${context.getMode() === 'manual'}`;

const expectedBy = (context: Context) => all.get(nodeKey(context)) ?? [];

function note(context: Context, webhooks: Accepted[], phase: Phase): void {
	const secrets = new Set(webhooks.map(({ secret }) => secret));
	const others = expectedBy(context).filter(({ webhook }) => !secrets.has(webhook.secret));
	all.set(nodeKey(context), [...others, ...webhooks.map((webhook) => ({ webhook, phase }))]);
}

/** Accepts deliveries of a webhook from now on. Keeps the object itself: the caller adds the token when it arrives. */
export const expectDeliveries = (context: Context, webhook: Accepted) =>
	note(context, [webhook], 'sent');

/** Refuses deliveries of webhooks whose registration has failed, unless n8n has saved them. */
export const expectNone = (context: Context, failed: Accepted[]) => note(context, failed, 'failed');

/** Accepts deliveries of the registered webhooks, and refuses all others that this process knows or n8n has `saved`. */
export function expectOnly(context: Context, registered: Accepted[], saved: Accepted[] = []): void {
	const earlier = expectedBy(context).map(({ webhook }) => webhook);
	note(context, [...earlier, ...saved], 'removed');
	// The registered webhooks that were known before aren't removed.
	note(context, registered, 'registered');
}

const sameEvent = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const isNewer = (one: Accepted, other: Accepted) => one.event === other.event && one.at > other.at;

export interface KnownWebhooks {
	live: Accepted[];
	/** Hashes of secrets that are refused. */
	refused: Set<string>;
}

/** Joins the webhooks that n8n has saved and this process has registered. Either may be older, so the newest one counts. */
export function knownWebhooks(context: Context, saved: Registration[] = []): KnownWebhooks {
	const expected = expectedBy(context);
	const inPhase = (...phases: Phase[]) =>
		expected.filter(({ phase }) => phases.includes(phase)).map(({ webhook }) => webhook);
	const secretsOf = (webhooks: Accepted[]) => new Set(webhooks.map(({ secret }) => secret));
	const removed = secretsOf(inPhase('removed'));
	const stored = saved.filter(({ isDead, secret }) => !isDead && !removed.has(secret));
	const registered = inPhase('registered');
	const live = [
		...stored.filter((each) => !registered.some((other) => isNewer(other, each))),
		...inPhase('sent', 'registered').filter(
			(each) => !stored.some((other) => isNewer(other, each)),
		),
	];
	const dead = saved.filter(({ isDead }) => isDead);
	return { live, refused: secretsOf([...dead, ...inPhase('failed', 'removed')]) };
}

/** The webhook of a delivery, by event and secret. The API may keep URLs in lower case. */
export function webhookBySecret(
	{ live }: KnownWebhooks,
	{ event, secret }: Given,
): Accepted | undefined {
	const hash = hashOf(secret);
	return live.find((each) => sameEvent(each.event, event) && equal(hash, each.secret));
}
