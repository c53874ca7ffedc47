// Registers webhooks side by side. Their deliveries are accepted from before the first request is sent.
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { hashOf } from '../engine/base/data';
import { inPool } from '../engine/base/pool';
import type { Door } from '../engine/node/trigger';
import { expectDeliveries } from './expected';
import { faultOf } from './faults';
import type { Present } from './present';
import { hasSecret, newSecret } from './secrets';
import { stateOf, type Accepted, type Registration, type Wish } from './state';
import type { Target } from './target';
import { hidesMark, isAt, withSecret } from './urls';
import { createWebhook, findWebhook, listWebhooks, type Webhook } from './webhooks';

/** The webhooks that `registerAll` has made so far. The caller reads it also after a failure, to undo all of it. */
export interface MadeWebhooks {
	registrations: Registration[];
	/** Webhooks that were sent. Of some of them the response may be lost, or still to come. */
	sent: Array<Wish & Accepted>;
}

interface Registering {
	context: IHookFunctions;
	door: Door;
	target: Target;
	/** IDs of webhooks that were there before, or whose registration is known. */
	taken: Set<string>;
	made: MadeWebhooks;
}

const NO_ID =
	"The API registered a webhook but returned no ID for it, and the list of webhooks doesn't show it. Look for it with Platform Webhooks, Get Many, and delete it.";

const NO_TOKEN =
	'"Check Token" needs the token of the webhook, but the API returned none. Choose URL Secret Only: the secret in the URL is always checked.';

/** The response had no ID, so this is the ID of a new webhook in the list, at the same URL and for the same event. */
async function findNew(
	{ door, taken }: Registering,
	{ secret, url, event }: Wish & Accepted,
): Promise<string | undefined> {
	const isNew = (each: Webhook) =>
		!taken.has(each.id) &&
		isAt(each.url, url) &&
		// The list may hide the query.
		(hasSecret(String(each.url), secret) || hidesMark(each.url)) &&
		(each.events ?? [event.toLowerCase()]).includes(event.toLowerCase());
	return (await listWebhooks(door)).find(isNew)?.id;
}

/**
 * Notes the webhook in `made` and in the state, so that a failure after it can be undone.
 * @throws NodeOperationError if its ID or the token that Check Token needs isn't known, NodeApiError if a request fails
 */
async function registerOne(registering: Registering, wish: Wish): Promise<Registration> {
	const { context, door, target, taken, made } = registering;
	const state = stateOf(context);
	// Later than all before, also after a clock was set back: the newest webhook of an event counts.
	const before = (state.registrations ?? []).map((each) => each.at + 1).filter(Number.isFinite);
	const at = Math.max(Date.now(), ...before);
	const secret = newSecret(door, { mark: target.mark, event: wish.event }, at);
	const webhook: Wish & Accepted = { ...wish, secret: hashOf(secret), at };
	made.sent.push(webhook);
	// A service may deliver something before it responds.
	expectDeliveries(context, webhook);
	const created = await createWebhook(door, { ...wish, url: withSecret(wish.url, secret) });
	const id = created.id ?? (await findNew(registering, webhook));
	if (id === undefined) throw new NodeOperationError(context.getNode(), NO_ID);
	taken.add(id);
	// `expectDeliveries` has this object, so deliveries can be checked from now on.
	if (created.token) {
		webhook.tokenHash = hashOf(created.token);
		if (target.tokenCheck === 'hmac') webhook.token = created.token;
	}
	const registration = { ...webhook, id };
	made.registrations.push(registration);
	// The state gets the registration before the next request, which may fail.
	state.registrations = [...(state.registrations ?? []), registration];
	if (target.tokenCheck !== 'none' && !created.token) {
		throw new NodeOperationError(context.getNode(), NO_TOKEN);
	}
	return registration;
}

/**
 * Checks what the API keeps of new webhooks. A webhook that can't be read or found is no fault, since the API has just said
 * that it made it, and may show it later.
 * @throws NodeOperationError if it keeps a cut URL or other events
 */
async function verify({ context, door }: Registering, registrations: Registration[]) {
	const listed = await listWebhooks(door).catch(() => []);
	await inPool(registrations.length, door.parallel, async (index) => {
		const registration = registrations[index];
		const { id } = registration;
		const inList = listed.find((each) => each.id === id);
		const webhook = inList ?? (await findWebhook(door, id).catch(() => 'untold'));
		const fault = typeof webhook === 'object' ? faultOf(webhook, registration) : undefined;
		if (fault !== undefined) throw new NodeOperationError(context.getNode(), fault);
	});
}

/**
 * Registers webhooks, in `made` and in the state.
 * @param made gets each webhook as soon as it's registered, so that the caller can undo all of them after a failure. After a
 *   success the registrations are in the order of `wishes`.
 * @throws NodeOperationError also if the API keeps something else than it was sent, NodeApiError if a request fails
 */
export async function registerAll(
	context: IHookFunctions,
	{ target, present }: { target: Target; present: Present },
	wishes: Wish[],
	made: MadeWebhooks,
): Promise<void> {
	if (wishes.length === 0) return;
	const { door, all } = present;
	const taken = new Set(all.map(({ id }) => id));
	const registering = { context, door, target, taken, made };
	const registrations: Registration[] = [];
	await inPool(wishes.length, door.parallel, async (index) => {
		registrations[index] = await registerOne(registering, wishes[index]);
	});
	// Until now they were in the order of the responses.
	made.registrations = registrations;
	await verify(registering, registrations);
}
