// Hooks of the trigger: check, register and remove its webhooks.
// n8n repeats a hook that throws, its process may die between two requests, and the static data with the IDs
// may get lost. So each hook reads the list of webhooks anew.
import type { IHookFunctions } from 'n8n-workflow';

import type { Door } from '../engine/node/trigger';
import { expectNone, expectOnly } from './expected';
import { faultOf } from './faults';
import { logLeft, findPresent, type Present } from './present';
import { registerAll, type MadeWebhooks } from './registering';
import { stateOf, type Registration, type TriggerState, type Wish } from './state';
import { targetOf, wishFor, type Target, type TokenCheck } from './target';
import { hasMark, isAt } from './urls';
import { listWebhooks, removeWebhook } from './webhooks';

/**
 * The registration was made with these values. Names and descriptions aren't compared with the list, which may
 * cut them.
 */
function wasSent(registration: Registration, wish: Wish): boolean {
	const values = ['event', 'url', 'name', 'description'] as const;
	return values.every((key) => registration[key] === wish[key]);
}

/** The stored form of the token is enough for this check. */
function canCheck({ token, tokenHash }: Registration, check: TokenCheck): boolean {
	return check === 'none' || (check === 'header' ? tokenHash : token) !== undefined;
}

/**
 * Removes webhooks, each at the API and then from the state (`elsewhere`: those at earlier URLs of n8n). Tries all, and returns
 * the failures by ID.
 */
async function removeAll(
	door: Door,
	ids: string[],
	state: TriggerState,
): Promise<Map<string, unknown>> {
	const failures = new Map<string, unknown>();
	for (const id of ids) {
		try {
			await removeWebhook(door, id);
			const isOther = (each: Registration) => each.id !== id;
			state.registrations = state.registrations?.filter(isOther);
			state.elsewhere = state.elsewhere?.filter(isOther);
		} catch (error) {
			failures.set(id, error);
		}
	}
	return failures;
}

interface Opened {
	target: Target;
	present: Present;
	/** Registrations to keep. */
	right: Registration[];
	/** IDs of webhooks to remove. */
	surplus: string[];
}

/** Checks the form before any request. Then returns what to keep of what is registered, and what to remove. */
async function open(context: IHookFunctions): Promise<Opened> {
	const target = targetOf(context);
	// With a target there is a public URL, so this isn't undefined.
	const present = (await findPresent(context, true)) as Present;
	const { tokenCheck } = target;
	const right = target.events.flatMap((event) => {
		const wish = wishFor(target, event);
		const found = present.recalled.find(
			({ registration: each, webhook }) =>
				!each.isDead &&
				wasSent(each, wish) &&
				canCheck(each, tokenCheck) &&
				faultOf(webhook, each) === undefined,
		);
		return found ? [found.registration] : [];
	});
	if (tokenCheck !== 'hmac') for (const each of right) delete each.token;
	const ids = present.own.map(({ id }) => id);
	return { target, present, right, surplus: ids.filter((id) => right.every((r) => r.id !== id)) };
}

/** Returns true if exactly the wanted webhooks are registered, and the state has their IDs. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { target, right, surplus } = await open(context);
	const isRight = right.length === target.events.length && surplus.length === 0;
	if (isRight) expectOnly(context, right);
	return isRight;
}

const NOT_REMOVED =
	"they couldn't be removed. They aren't needed, and their deliveries are refused. Delete them with Platform Webhooks";

/**
 * Registers one webhook for each event, keeps those that are right already, and removes those of this node
 * that aren't wanted any more. If anything fails, removes what it has registered itself before it throws:
 * n8n's own rollback may run without the IDs. What isn't wanted and can't be removed is no failure: its
 * deliveries are refused.
 */
export async function register(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const { target, present, right, surplus } = await open(context);
	const { door } = present;
	const missing = target.events.filter((event) => right.every((each) => each.event !== event));
	const wishes = missing.map((event) => wishFor(target, event));
	const made: MadeWebhooks = { registrations: [], sent: [] };
	await registerAll(context, { target, present }, wishes, made).catch(async (error: unknown) => {
		// If something couldn't be undone, its ID and URL are kept, so the next attempt finds it.
		await undo(present, target, made, state).catch(() => undefined);
		expectNone(context, made.sent);
		throw error;
	});
	const failures = await removeAll(door, surplus, state);
	logLeft(
		context,
		present.own.filter(({ id }) => failures.has(id)),
		NOT_REMOVED,
	);
	const live = [...right, ...made.registrations];
	const dead = (state.registrations ?? []).filter(({ id }) => live.every((each) => each.id !== id));
	state.registrations = [...live, ...dead.map((each): Registration => ({ ...each, isDead: true }))];
	expectOnly(context, live, dead);
}

/** Removes what a failed registration has made, even if the response with the ID was lost. */
async function undo(
	{ door, all }: Present,
	{ base, mark }: Target,
	made: MadeWebhooks,
	state: TriggerState,
): Promise<void> {
	const ids = made.registrations.map(({ id }) => id);
	const before = new Set([...all.map(({ id }) => id), ...ids]);
	const listed = await listWebhooks(door).catch(() => []);
	const lost = listed.filter(
		({ id, url }) => isAt(url, base) && hasMark(url, mark) && !before.has(id),
	);
	await removeAll(door, [...ids, ...lost.map(({ id }) => id)], state);
}

/**
 * Removes the webhooks of this node. A webhook that doesn't exist counts as removed. On any other failure
 * it keeps the ID and throws, so that n8n reports it and the next activation cleans up.
 */
export async function unregister(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const removed = state.registrations ?? [];
	const present = await findPresent(context, false);
	if (present) {
		const ids = present.own.map(({ id }) => id);
		const [failure] = (await removeAll(present.door, ids, state)).values();
		if (failure !== undefined) throw failure;
	}
	expectOnly(context, [], removed);
	delete state.registrations;
	if (state.elsewhere && state.elsewhere.length > 0) return;
	delete state.elsewhere;
	delete state.account;
}
