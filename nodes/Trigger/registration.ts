// Hooks of the trigger: check, register and remove its webhooks.
// n8n repeats a hook that throws, its process may die between two requests, and the static data with the IDs
// may get lost. So each hook reads the list of webhooks anew.
import { randomBytes } from 'node:crypto';
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { presentOf, type Present } from './present';
import { stateOf, type Registration, type TriggerState, type Wish } from './state';
import { isAt, targetOf, wishFor, type Target } from './target';
import { createWebhook, listWebhooks, removeWebhook, type Webhook } from './webhooks';
import type { Door } from '../shared/trigger';

/**
 * The registration was made with these values. A value that it doesn't have matches any. The list isn't
 * compared: the API may cut names, rewrite URLs and mask queries.
 */
function wasSent(registration: Registration, wish: Wish): boolean {
	const values = ['event', 'url', 'name', 'description'] as const;
	return values.every((key) => (registration[key] ?? wish[key]) === wish[key]);
}

/** Removes webhooks, each at the API and then from the state. Tries all before it throws the first failure. */
async function removeAll(door: Door, ids: string[], state: TriggerState): Promise<void> {
	const failures: unknown[] = [];
	for (const id of ids) {
		try {
			await removeWebhook(door, id);
			const isOther = (each: Registration) => each.id !== id;
			state.registrations = state.registrations?.filter(isOther);
			state.elsewhere = state.elsewhere?.filter(isOther);
		} catch (error) {
			failures.push(error);
		}
	}
	if (failures.length > 0) throw failures[0];
}

/** Checks the form before any request. Then returns what to keep of what is registered, and what to remove. */
async function open(context: IHookFunctions) {
	const target = targetOf(context);
	// With a target there is a public URL, so this isn't undefined.
	const { door, all, own } = (await presentOf(context)) as Present;
	const { registrations = [], secret = '' } = stateOf(context);
	const usable = registrations.filter(({ token }) => token || !target.needsToken);
	const right = target.events.flatMap((event) => {
		const wish = wishFor(target, event, secret);
		return usable.find((each) => wasSent(each, wish)) ?? [];
	});
	const surplus = own.map(({ id }) => id).filter((id) => right.every((each) => each.id !== id));
	return { target, door, all, right, surplus };
}

/** Returns true if exactly the wanted webhooks are registered, and the state has their IDs. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { target, right, surplus } = await open(context);
	return right.length === target.events.length && surplus.length === 0;
}

/**
 * Registers a webhook. If the response has no ID, looks for its URL in the list.
 * @param earlier webhooks that existed before
 */
async function make(
	door: Door,
	wish: Wish,
	earlier: Array<{ id: string }>,
): Promise<{ id?: string; token?: string }> {
	const { id, token } = await createWebhook(door, wish);
	if (id !== undefined) return { id, token };
	const isNew = (each: Webhook) =>
		isAt(each.url, wish.url) && earlier.every((other) => other.id !== each.id);
	return { id: (await listWebhooks(door)).find(isNew)?.id, token };
}

/**
 * Registers one webhook for each event, keeps those that are right already, and removes those of this node
 * that aren't wanted any more. If anything fails, removes what it has registered itself before it throws:
 * n8n's own rollback may run without the IDs.
 */
export async function register(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const { target, door, all, right, surplus } = await open(context);
	// The URLs of kept webhooks have the present secret.
	const known = right.length > 0 ? state.secret : undefined;
	const secret = known ?? randomBytes(24).toString('hex');
	state.secret = secret;
	const made: Registration[] = [];
	const work = async () => {
		for (const event of target.events) {
			if (right.some((each) => each.event === event)) continue;
			const wish = wishFor(target, event, secret);
			const { id, token } = await make(door, wish, [...all, ...made]);
			if (id === undefined) {
				throw new NodeOperationError(
					context.getNode(),
					"The API registered a webhook but returned no ID for it, and the list of webhooks doesn't show it. Look for it with Platform Webhooks, Get Many, and delete it.",
				);
			}
			const registration = { ...wish, id, token };
			made.push(registration);
			// Saved before the next request, which may fail.
			state.registrations = [...(state.registrations ?? []), registration];
			if (target.needsToken && !token) {
				throw new NodeOperationError(
					context.getNode(),
					'"Check Token" needs the token of the webhook, but the API returned none. Choose URL Secret Only: the secret in the URL is always checked.',
				);
			}
		}
		await removeAll(door, surplus, state);
		state.registrations = [...right, ...made];
	};
	await work().catch(async (error: unknown) => {
		// If something couldn't be undone, its ID and URL are kept, so the next attempt finds it.
		await undo(door, target, all, made, state).catch(() => undefined);
		throw error;
	});
}

/** Removes what a failed registration has made, even if the response with the ID was lost. */
async function undo(
	door: Door,
	{ base }: Target,
	earlier: Webhook[],
	made: Registration[],
	state: TriggerState,
): Promise<void> {
	const before = [...earlier, ...made].map(({ id }) => id);
	const listed = await listWebhooks(door).catch(() => []);
	const lost = listed.filter(({ id, url }) => isAt(url, base) && !before.includes(id));
	await removeAll(
		door,
		[...made, ...lost].map(({ id }) => id),
		state,
	);
}

/**
 * Removes the webhooks of this node. A webhook that doesn't exist counts as removed. On any other failure
 * it keeps the ID and throws, so that n8n reports it and the next activation cleans up.
 */
export async function unregister(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const present = await presentOf(context);
	if (present) {
		const ids = present.own.map(({ id }) => id);
		await removeAll(present.door, ids, state);
	}
	delete state.registrations;
	delete state.secret;
	if (state.elsewhere && state.elsewhere.length > 0) return;
	delete state.elsewhere;
	delete state.account;
}
