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

/** Webhooks of a registration so far. If it fails, they are removed. */
export interface MadeWebhooks {
	registrations: Registration[];
	/** Webhooks that were sent. The response to some of them may be lost. */
	sent: Array<Wish & Accepted>;
}

interface Registering {
	context: IHookFunctions;
	door: Door;
	target: Target;
	/** IDs that are other webhooks. */
	taken: Set<string>;
	made: MadeWebhooks;
}

const NO_ID =
	"The API registered a webhook but returned no ID for it, and the list of webhooks doesn't show it. Look for it with Platform Webhooks, Get Many, and delete it.";

const NO_TOKEN =
	'"Check Token" needs the token of the webhook, but the API returned none. Choose URL Secret Only: the secret in the URL is always checked.';

/** Finds a webhook whose response had no ID. */
async function findNew(
	{ door, taken }: Registering,
	{ secret, url, event }: Wish & Accepted,
): Promise<string | undefined> {
	const isNew = (each: Webhook) =>
		!taken.has(each.id) &&
		isAt(each.url, url) &&
		(hasSecret(String(each.url), secret) || hidesMark(each.url)) &&
		(each.events ?? [event.toLowerCase()]).includes(event.toLowerCase());
	return (await listWebhooks(door)).find(isNew)?.id;
}

/**
 * Registers a webhook. Notes it in `made` and in n8n's data, so that a failure after it can be undone.
 * @throws NodeOperationError if its ID isn't known, or the token that Check Token needs
 */
async function registerOne(registering: Registering, wish: Wish): Promise<Registration> {
	const { context, door, target, taken, made } = registering;
	const state = stateOf(context);
	// Later than all before, also after a clock was set back: the newest one of an event counts.
	const before = (state.registrations ?? []).map((each) => each.at + 1).filter(Number.isFinite);
	const at = Math.max(Date.now(), ...before);
	const secret = newSecret(door, { mark: target.mark, event: wish.event }, at);
	const webhook: Wish & Accepted = { ...wish, secret: hashOf(secret), at };
	made.sent.push(webhook);
	// A service may deliver something before it responds.
	expectDeliveries(context, webhook);
	const sent = await createWebhook(door, { ...wish, url: withSecret(wish.url, secret) });
	const id = sent.id ?? (await findNew(registering, webhook));
	if (id === undefined) throw new NodeOperationError(context.getNode(), NO_ID);
	taken.add(id);
	if (sent.token) {
		webhook.tokenHash = hashOf(sent.token);
		if (target.tokenCheck === 'hmac') webhook.token = sent.token;
	}
	const registration = { ...webhook, id };
	made.registrations.push(registration);
	// Saved before the next request, which may fail.
	state.registrations = [...(state.registrations ?? []), registration];
	if (target.tokenCheck !== 'none' && !sent.token) {
		throw new NodeOperationError(context.getNode(), NO_TOKEN);
	}
	return registration;
}

/**
 * Reads what the API keeps of new webhooks. One that can't be read or isn't found is no fault, since the API has just said
 * that it made it, and may show it later.
 * @throws NodeOperationError if it keeps another URL or other events
 */
async function verify({ context, door }: Registering, registrations: Registration[]) {
	const listed = await listWebhooks(door).catch(() => []);
	await inPool(registrations.length, door.parallel, async (index) => {
		const registration = registrations[index];
		const { id } = registration;
		const isSame = (each: Webhook) => each.id === id;
		const webhook = listed.find(isSame) ?? (await findWebhook(door, id).catch(() => 'refused'));
		const fault = typeof webhook === 'object' ? faultOf(webhook, registration) : undefined;
		if (fault !== undefined) throw new NodeOperationError(context.getNode(), fault);
	});
}

/**
 * Registers webhooks. `made` gets each as soon as it's registered, so that all can be undone after a failure. After a
 * success they are in the order of `wishes`.
 * @throws NodeOperationError also if the API keeps something else than it was sent
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
	made.registrations = registrations;
	await verify(registering, registrations);
}
