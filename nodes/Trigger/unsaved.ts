// Webhooks that are being registered. n8n saves their state only after all triggers of the workflow are up,
// which takes up to half a minute, and deliveries come meanwhile. So this process remembers them, too.
import type { INode, IWorkflowMetadata } from 'n8n-workflow';

import { hashOf } from '../engine/base/data';
import { equal } from './secrets';
import type { Accepted, Registration } from './state';

interface Context {
	getWorkflow(): IWorkflowMetadata;
	getNode(): INode;
}

const all = new Map<string, Accepted[]>();

const keyOf = (context: Context) => `${context.getWorkflow().id} ${context.getNode().id}`;

const sameEvent = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const isLive = ({ isDead }: Registration) => isDead !== true;

/** Accepts deliveries of a webhook from now on. Its token may follow. */
export function expectDeliveries(context: Context, accepted: Accepted): void {
	all.set(keyOf(context), [...(all.get(keyOf(context)) ?? []), accepted]);
}

/** Forgets webhooks that are removed. */
export function expectNone(context: Context, removed: Accepted[]): void {
	const secrets = new Set(removed.map(({ secret }) => secret));
	const left = all.get(keyOf(context))?.filter(({ secret }) => !secrets.has(secret)) ?? [];
	if (left.length > 0) all.set(keyOf(context), left);
	else all.delete(keyOf(context));
}

/**
 * Finds the webhook of a delivery by its secret.
 * @param stored registrations as n8n has saved them
 * @returns 'later' if n8n may not have saved the webhook yet, 'unknown' if no webhook has the secret
 */
export function acceptedFor(
	context: Context,
	{ event, secret }: { event: string; secret: string },
	stored: Registration[] = [],
): Accepted | 'later' | 'unknown' {
	const live = stored.filter(isLive);
	expectNone(context, live);
	// Another process may have registered the event anew since then.
	const isNewest = (each: Accepted) =>
		live.every((other) => other.event !== each.event || other.at < each.at);
	const expected = (all.get(keyOf(context)) ?? []).filter(isNewest);
	const hash = hashOf(secret);
	const found = [...live, ...expected].find(
		(each) => sameEvent(each.event, event) && equal(hash, each.secret),
	);
	return found ?? (live.length + expected.length === 0 ? 'later' : 'unknown');
}
