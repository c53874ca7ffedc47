// Hooks of the trigger: check, register and remove its webhooks. n8n repeats a hook that throws, its process may die between
// two requests, and the static data with the IDs may get lost. So each hook reads the list of webhooks anew.
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

/** Compares what was sent, and not what the list shows, since that may cut names and descriptions. */
function wasSent(registration: Registration, wish: Wish): boolean {
	const values = ['event', 'url', 'name', 'description'] as const;
	return values.every((key) => registration[key] === wish[key]);
}

/** The stored part of the token is enough for this check. A signature needs the token itself, a header only its hash. */
function canCheck({ token, tokenHash }: Registration, check: TokenCheck): boolean {
	if (check === 'none') return true;
	return check === 'hmac' ? token !== undefined : tokenHash !== undefined;
}

/** Removes webhooks, each at the API and then from the state, also from `elsewhere`. Tries all, and returns failures by ID. */
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

/** The registrations that are wanted, and what to do with the webhooks that are registered. */
interface Plan {
	target: Target;
	present: Present;
	/** Registrations to keep: the objects of the state themselves. */
	right: Registration[];
	surplus: string[];
}

/**
 * Compares what is registered with the form. Updates the state by what the API tells (`findPresent`), and drops tokens from it
 * that aren't needed any more.
 * @throws NodeOperationError for a fault in the form, before any request
 */
async function planOf(context: IHookFunctions): Promise<Plan> {
	const target = targetOf(context);
	// A target has a public URL, so this isn't undefined.
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
	// n8n shows the state, so a token is only kept for signatures.
	if (tokenCheck !== 'hmac') for (const each of right) delete each.token;
	const ids = present.own.map(({ id }) => id);
	return { target, present, right, surplus: ids.filter((id) => right.every((r) => r.id !== id)) };
}

/** True if exactly the wanted webhooks are registered, and the state has their IDs. Then all others are refused. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const { target, right, surplus } = await planOf(context);
	const isRight = right.length === target.events.length && surplus.length === 0;
	if (isRight) expectOnly(context, right);
	return isRight;
}

const NOT_REMOVED =
	"they couldn't be removed. They aren't needed, and their deliveries are refused. Delete them with Platform Webhooks";

/**
 * Registers one webhook for each event, keeps those that are right already, and removes those of this node that aren't wanted
 * any more. If anything fails, removes what it has registered itself before it throws, because n8n's own rollback may run
 * without the IDs. An unwanted webhook that can't be removed is no failure: its deliveries are refused.
 */
export async function register(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	const { target, present, right, surplus } = await planOf(context);
	const { door } = present;
	const missing = target.events.filter((event) => right.every((each) => each.event !== event));
	const wishes = missing.map((event) => wishFor(target, event));
	const made: MadeWebhooks = { registrations: [], sent: [] };
	await registerAll(context, { target, present }, wishes, made).catch(async (error: unknown) => {
		// What can't be undone stays in the state with its ID and URL, so the next attempt finds it. This error counts.
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
	// `removeAll` has taken out removed ones. The others couldn't be removed, or the API doesn't tell about them.
	const dead = (state.registrations ?? []).filter(({ id }) => live.every((each) => each.id !== id));
	state.registrations = [...live, ...dead.map((each): Registration => ({ ...each, isDead: true }))];
	expectOnly(context, live, dead);
}

/** Also removes, if the list can be read, webhooks of this node whose response was lost. */
async function undo(
	{ door, all }: Present,
	{ base, mark }: Target,
	made: MadeWebhooks,
	state: TriggerState,
): Promise<void> {
	const ids = made.registrations.map(({ id }) => id);
	const known = new Set([...all.map(({ id }) => id), ...ids]);
	const listed = await listWebhooks(door).catch(() => []);
	const lost = listed.filter(
		({ id, url }) => isAt(url, base) && hasMark(url, mark) && !known.has(id),
	);
	await removeAll(door, [...ids, ...lost.map(({ id }) => id)], state);
}

/** A missing webhook counts as removed. Any other failure keeps the ID and throws: n8n reports it, and cleans up next time. */
export async function unregister(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	// All are refused from now on, also those that `findPresent` moves or drops.
	const removed = state.registrations ?? [];
	const present = await findPresent(context, false);
	if (present) {
		const ids = present.own.map(({ id }) => id);
		const failures = await removeAll(present.door, ids, state);
		const [failure] = failures.values();
		if (failure !== undefined) throw failure;
	}
	expectOnly(context, [], removed);
	delete state.registrations;
	// Webhooks at earlier URLs may be removed later, which needs their account.
	if (state.elsewhere && state.elsewhere.length > 0) return;
	delete state.elsewhere;
	delete state.account;
}
