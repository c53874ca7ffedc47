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

/** Returns the registrations to keep, and the IDs of webhooks to remove. */
function compare({ own, here }: Present, target: Target, { secret = '' }: TriggerState) {
	const usable = here.filter(({ token }) => token || !target.needsToken);
	const right = target.events.flatMap((event) => {
		const wish = wishFor(target, event, secret);
		return usable.find((each) => wasSent(each, wish)) ?? [];
	});
	const surplus = own.map(({ id }) => id).filter((id) => right.every((each) => each.id !== id));
	return { right, surplus };
}

/** Removes webhooks, each at the API and then from the state. Tries all before it throws the first failure. */
async function removeAll(door: Door, ids: string[], state: TriggerState): Promise<void> {
	const failures: unknown[] = [];
	const without = (list: Registration[] = [], id: string) => list.filter((each) => each.id !== id);
	for (const id of ids) {
		try {
			await removeWebhook(door, id);
			state.registrations = without(state.registrations, id);
			state.elsewhere = without(state.elsewhere, id);
		} catch (error) {
			failures.push(error);
		}
	}
	if (failures.length > 0) throw failures[0];
}

/** Checks the form before any request, then compares it with what is registered. */
async function open(context: IHookFunctions) {
	const target = targetOf(context);
	// With a target there is a public URL, so this isn't undefined.
	const present = (await presentOf(context)) as Present;
	return { target, present, ...compare(present, target, stateOf(context)) };
}

/** Returns true if exactly the wanted webhooks are registered, and the state has their IDs. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { target, right, surplus } = await open(context);
	return right.length === target.events.length && surplus.length === 0;
}

/**
 * Registers a webhook. If the response has no ID, looks for its URL in the list.
 * @param earlier IDs of the webhooks that existed before
 */
async function make(
	door: Door,
	wish: Wish,
	earlier: Set<string>,
): Promise<{ id?: string; token?: string }> {
	const { id, token } = await createWebhook(door, wish);
	if (id !== undefined) return { id, token };
	const isNew = (each: Webhook) => !earlier.has(each.id) && isAt(each.url, wish.url);
	return { id: (await listWebhooks(door)).find(isNew)?.id, token };
}

/**
 * Registers one webhook for each event, keeps those that are right already, and removes those of this node
 * that aren't wanted any more. If anything fails, removes what it has registered itself before it throws:
 * n8n's own rollback may run without the IDs.
 */
export async function register(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const { target, present, right, surplus } = await open(context);
	const { door, all } = present;
	// The URLs of kept webhooks have the present secret.
	const known = right.length > 0 ? state.secret : undefined;
	const secret = known ?? randomBytes(24).toString('hex');
	state.secret = secret;
	const wanted = [...right];

	const work = async () => {
		for (const event of target.events) {
			if (right.some((each) => each.event === event)) continue;
			const wish = wishFor(target, event, secret);
			const earlier = new Set([...all, ...wanted].map(({ id }) => id));
			const { id, token } = await make(door, wish, earlier);
			if (id === undefined) {
				throw new NodeOperationError(
					context.getNode(),
					"The API registered a webhook but returned no ID for it, and the list of webhooks doesn't show it. Look for it with Platform Webhooks, Get Many, and delete it.",
				);
			}
			wanted.push({ ...wish, id, token });
			// Saved before the next request, which may fail.
			state.registrations = [...(state.registrations ?? []), { ...wish, id, token }];
			if (target.needsToken && !token) {
				throw new NodeOperationError(
					context.getNode(),
					'"Check Token" needs the token of the webhook, but the API returned none. Choose URL Secret Only: the secret in the URL is always checked.',
				);
			}
		}
		await removeAll(door, surplus, state);
		state.registrations = wanted;
	};
	await work().catch(async (error: unknown) => {
		// If something couldn't be undone, its ID and URL are kept, so the next attempt finds it.
		await undo(door, target, all, wanted.slice(right.length), state).catch(() => undefined);
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
	const isNew = ({ id, url }: Webhook) =>
		isAt(url, base) && earlier.every((each) => each.id !== id) && !ids.includes(id);
	const ids = made.map(({ id }) => id);
	const unknown = (await listWebhooks(door).catch(() => [])).filter(isNew);
	await removeAll(door, [...ids, ...unknown.map(({ id }) => id)], state);
}

/**
 * Removes the webhooks of this node. A webhook that doesn't exist counts as removed. On any other failure
 * it keeps the ID and throws, so that n8n reports it and the next activation cleans up.
 */
export async function unregister(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const present = await presentOf(context);
	if (present) {
		await removeAll(
			present.door,
			present.own.map(({ id }) => id),
			state,
		);
	}
	const isEmpty = (state.elsewhere ?? []).length === 0;
	delete state.registrations;
	delete state.secret;
	if (!isEmpty) return;
	delete state.elsewhere;
	delete state.account;
}
