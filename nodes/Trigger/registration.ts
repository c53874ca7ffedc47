// Which webhooks should be registered, which are, and how the one becomes the other.
//
// n8n gives no guarantees here: a hook that throws is repeated, a process may die between two
// requests, and the static data with the ids may be lost. So the state at the service is compared
// each time, and what this node made is known by the exact address of its webhook, whose path n8n
// makes for this node alone. What has another address is never touched.
import { randomBytes } from 'node:crypto';
import { NodeOperationError, type IDataObject, type IHookFunctions } from 'n8n-workflow';

import { Webhooks, type Webhook } from './webhooks';

/** One registration of this node, as its static data remember it. */
export interface Registration {
	id: string;
	event: string;
	/** The registered address with event and secret. */
	url: string;
	/** Token that the service generated, for checking deliveries. */
	token?: string;
}

/** What the node keeps in the static data of its workflow. */
export interface TriggerState {
	secret?: string;
	registrations?: Registration[];
}

/** The part of the static data that is this node's. */
export function stateOf(context: {
	getWorkflowStaticData(type: string): IDataObject;
}): TriggerState {
	return context.getWorkflowStaticData('node') as TriggerState;
}

const localHost = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/i;

function isPublic(address: string): boolean {
	if (!URL.canParse(address)) return false;
	const { protocol, hostname } = new URL(address);
	return protocol === 'https:' && !localHost.test(hostname);
}

/**
 * The public address of this node's webhook.
 * @throws NodeOperationError, before any request, when the service could not or must not reach it
 */
function publicUrl(context: IHookFunctions): string {
	const given = context.getNodeWebhookUrl('default') ?? '';
	if (isPublic(given)) return given;
	throw new NodeOperationError(
		context.getNode(),
		`The Platform API delivers events to public HTTPS addresses only, but this n8n gives ${given || 'none'}. Set the environment variable WEBHOOK_URL of n8n to its public https:// address and restart n8n.`,
		{
			description:
				'Nothing was registered. Without a public HTTPS address, use the Platform Polling Trigger.',
		},
	);
}

function addressFor(base: string, event: string, secret: string): string {
	const url = new URL(base);
	url.searchParams.set('event', event);
	url.searchParams.set('secret', secret);
	return url.toString();
}

/** Whether a registered address is one of the webhook at `base`: same origin, exactly its path. */
function isAt(url: string | undefined, base: string): boolean {
	if (url === undefined || !URL.canParse(url)) return false;
	const given = new URL(url);
	const own = new URL(base);
	return given.origin === own.origin && given.pathname === own.pathname;
}

const eventsOf = ({ events = [] }: Webhook): string[] =>
	Array.isArray(events) ? events : [events];

interface Wanted {
	base: string;
	events: string[];
	name: string;
	description: string;
}

function wanted(context: IHookFunctions): Wanted {
	const base = publicUrl(context);
	const events = [...new Set(context.getNodeParameter('events', []) as string[])];
	if (events.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			'"Events" must not be empty: choose at least one.',
		);
	}
	const settings = context.getNodeParameter('settings', {}) as IDataObject;
	const workflow = context.getWorkflow().name ?? context.getWorkflow().id ?? '';
	return {
		base,
		events,
		name: String(settings.name || `n8n: ${workflow}`),
		description: String(
			settings.description || 'Registered by n8n, removed when the workflow is unpublished',
		),
	};
}

/** What is at the service, sorted by whether it is as wanted. */
function compare(all: Webhook[], { base, events, name }: Wanted, state: TriggerState) {
	const known = new Map((state.registrations ?? []).map((each) => [each.id, each]));
	const own = all.filter(({ id, url }) => isAt(url, base) || known.get(id)?.url === url);
	const right = events.flatMap((event) => {
		const url = state.secret === undefined ? undefined : addressFor(base, event, state.secret);
		const match = own.find(
			(webhook) =>
				webhook.url === url &&
				webhook.name === name &&
				eventsOf(webhook).join() === event &&
				known.get(webhook.id)?.event === event,
		);
		return match ? [match.id] : [];
	});
	return { own, right, surplus: own.filter(({ id }) => !right.includes(id)) };
}

/** Removes a registration at the service, then from memory; on failure it stays remembered. */
async function remove(webhooks: Webhooks, id: string, state: TriggerState): Promise<void> {
	await webhooks.remove(id);
	state.registrations = (state.registrations ?? []).filter((each) => each.id !== id);
}

/** Removes several; all are tried before the first failure is thrown. */
async function removeAll(webhooks: Webhooks, ids: string[], state: TriggerState): Promise<void> {
	const failures: unknown[] = [];
	for (const id of ids) {
		await remove(webhooks, id, state).catch((error: unknown) => failures.push(error));
	}
	if (failures.length > 0) throw failures[0];
}

/** Whether exactly the wanted webhooks are registered, and known to this node. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	const target = wanted(context);
	const webhooks = await Webhooks.open(context);
	const { right, surplus } = compare(await webhooks.list(), target, stateOf(context));
	return right.length === target.events.length && surplus.length === 0;
}

/**
 * Registers one webhook for each event, keeps those that are right already, and removes what this
 * node made earlier and is no longer wanted. If anything fails, all that this node has registered
 * is removed again before it throws: n8n's own rollback may run without the ids.
 */
export async function register(context: IHookFunctions): Promise<void> {
	const target = wanted(context);
	const state = stateOf(context);
	const webhooks = await Webhooks.open(context);
	const { right, surplus } = compare(await webhooks.list(), target, state);
	// A new secret would make deliveries under way to the kept webhooks look forged.
	if (right.length === 0) state.secret = randomBytes(24).toString('hex');
	const secret = state.secret as string;
	const isKept = (event: string) =>
		state.registrations?.some((each) => each.event === event && right.includes(each.id)) ?? false;

	const work = async () => {
		for (const event of target.events.filter((each) => !isKept(each))) {
			const { name, description } = target;
			const url = addressFor(target.base, event, secret);
			const { id, token } = await webhooks.create({ name, url, events: [event], description });
			// Remembered before the next request, which may fail.
			state.registrations = [...(state.registrations ?? []), { id, event, url, token }];
		}
		await removeAll(
			webhooks,
			surplus.map(({ id }) => id),
			state,
		);
		state.registrations = (state.registrations ?? []).filter(
			({ id, event, url }) =>
				right.includes(id) ||
				(target.events.includes(event) && url === addressFor(target.base, event, secret)),
		);
	};
	await work().catch(async (error: unknown) => {
		// What could not be undone keeps its id and its address, so that the next round finds it.
		await sweep(context, state).catch(() => undefined);
		throw error;
	});
}

/**
 * Removes all that this node has registered: by the ids it remembers, then by its addresses. Under
 * an address that is not public nothing was ever registered, so there nothing is asked for.
 */
async function sweep(context: IHookFunctions, state: TriggerState): Promise<void> {
	const registrations = state.registrations ?? [];
	const address = context.getNodeWebhookUrl('default') ?? '';
	const bases = [...registrations.map(({ url }) => url), ...(isPublic(address) ? [address] : [])];
	if (bases.length === 0) return;
	const webhooks = await Webhooks.open(context);
	const forget = async (ids: string[]) => await removeAll(webhooks, ids, state);
	await forget(registrations.map(({ id }) => id));
	const left = (await webhooks.list()).filter(({ url }) => bases.some((each) => isAt(url, each)));
	await forget(left.map(({ id }) => id));
}

/**
 * Removes the webhooks of this node. One that the service no longer has is done; on any other
 * failure the id is kept and the failure is thrown, so that n8n reports it and the next
 * activation cleans up.
 */
export async function unregister(context: IHookFunctions): Promise<void> {
	const state = stateOf(context);
	await sweep(context, state);
	delete state.registrations;
	delete state.secret;
}
