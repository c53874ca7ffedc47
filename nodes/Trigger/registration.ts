// Which webhooks should be registered, which are, and how the one becomes the other.
//
// n8n gives no guarantees here: a hook that throws is repeated, a process may die between two
// requests, and the static data with the ids may be lost. So the list of the service is read each
// time. A webhook is this node's own if its id is remembered, or if it stands at the node's address,
// whose path n8n makes for this node alone. No other is ever touched.
//
// A service may show what it was given in another form: names cut, addresses rewritten, queries
// masked. So the list says which ids are there, and whether one is right is told by what was sent.
import { randomBytes } from 'node:crypto';
import { NodeOperationError, type IDataObject, type IHookFunctions } from 'n8n-workflow';

import { recordOf } from '../shared/operation';
import { Webhooks, type Webhook } from './webhooks';

/** What is sent to the service for one event. */
interface Wish {
	event: string;
	/** The address with event and secret. */
	url: string;
	name: string;
	description: string;
}

/**
 * One registration of this node, as its static data remember it: what was sent for it, its id, and
 * the token that the service generated, for checking deliveries.
 */
export type Registration = Pick<Wish, 'event' | 'url'> &
	Partial<Wish> & { id: string; token?: string };

/** What the node keeps in the static data of its workflow. */
export interface TriggerState {
	/** Where the registrations were made: elsewhere their ids are those of others. */
	account?: string;
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

/** Which settings of n8n give the address: those for test listening are not those for production. */
function settingsFor(context: IHookFunctions): { address: string; settings: string } {
	return context.getActivationMode() === 'manual'
		? {
				address: 'test webhook URL',
				settings:
					'N8N_WEBHOOK_URL (in older n8n N8N_EDITOR_BASE_URL, or WEBHOOK_URL if that is not set)',
			}
		: { address: 'webhook URL', settings: 'N8N_WEBHOOK_URL (in older n8n WEBHOOK_URL)' };
}

/**
 * The public address of this node's webhook.
 * @throws NodeOperationError, before any request, when the service could not or must not reach it
 */
function publicUrl(context: IHookFunctions): string {
	const given = context.getNodeWebhookUrl('default') ?? '';
	if (isPublic(given)) return given;
	const { address, settings } = settingsFor(context);
	const present = given === '' ? `this n8n has no ${address}` : `the ${address} is ${given}`;
	throw new NodeOperationError(
		context.getNode(),
		`The Platform API only sends events to public HTTPS URLs, but ${present}. Set n8n's environment variable ${settings} to the public https:// URL of n8n, then restart n8n.`,
		{
			description:
				'Nothing was registered. Without a public HTTPS URL, use the Platform Polling Trigger.',
		},
	);
}

function addressFor(base: string, event: string, secret: string): string {
	const url = new URL(base);
	url.searchParams.set('event', event);
	url.searchParams.set('secret', secret);
	return url.toString();
}

/** Origin and path of an address without what a service may rewrite: case, port 443, final slashes. */
function placeOf(address: string): string {
	const { origin, pathname } = new URL(address);
	return `${origin}${pathname.replace(/\/+$/, '')}`.toLowerCase();
}

/** Whether a registered address is one of the webhook at `base`, whatever its query. */
function isAt(url: string | undefined, base: string): boolean {
	return url !== undefined && URL.canParse(url) && placeOf(url) === placeOf(base);
}

/** What should be registered. */
interface Target {
	base: string;
	events: string[];
	name: string;
	description: string;
	/** Whether deliveries are checked by the token of their webhook. */
	needsToken: boolean;
}

/** The choice by which the form offers the events that only the API knows. */
export const OTHER_EVENTS = 'other';

/** The chosen events; an expression may give one of them as text. */
function eventsOf(context: IHookFunctions): string[] {
	const chosen = (name: string) =>
		[context.getNodeParameter(name, [])].flat().map((event) => String(event ?? '').trim());
	const named = chosen('events');
	const others = named.includes(OTHER_EVENTS) ? chosen('otherEvents') : [];
	const events = [...named.filter((event) => event !== OTHER_EVENTS), ...others];
	return [...new Set(events.filter((event) => event !== ''))];
}

function targetOf(context: IHookFunctions): Target {
	const base = publicUrl(context);
	const events = eventsOf(context);
	if (events.length === 0) {
		throw new NodeOperationError(
			context.getNode(),
			'"Events" must not be empty: choose at least one.',
		);
	}
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const { id = '', name: workflow = id } = context.getWorkflow();
	// If n8n leaves a webhook behind, this tells an administrator where it comes from.
	const origin = `Registered by n8n at ${new URL(base).host} for the workflow "${workflow}" (ID ${id})`;
	return {
		base,
		events,
		name: String(settings.name || `n8n: ${workflow}`),
		description: String(
			settings.description || `${origin}. Removed when the workflow is unpublished.`,
		),
		needsToken: context.getNodeParameter('tokenCheck', 'none') !== 'none',
	};
}

function wishFor({ base, name, description }: Target, event: string, secret: string): Wish {
	return { event, url: addressFor(base, event, secret), name, description };
}

/** Whether a registration was made with these values; one that does not tell a value agrees with any. */
function wasSent(registration: Registration, wish: Wish): boolean {
	const values = ['event', 'url', 'name', 'description'] as const;
	return values.every((key) => (registration[key] ?? wish[key]) === wish[key]);
}

/** The registrations that this node remembers to have made with this account. */
function remembered({ account }: Webhooks, state: TriggerState): Registration[] {
	const isSame = state.account === undefined || state.account === account;
	return isSame ? (state.registrations ?? []) : [];
}

/** What this node has at the service, sorted by whether it is as wanted. */
async function compare(webhooks: Webhooks, target: Target, state: TriggerState) {
	const all = await webhooks.list();
	const known = new Map(remembered(webhooks, state).map((each) => [each.id, each]));
	const own = all.filter(({ id, url }) => known.has(id) || isAt(url, target.base));
	const present = own
		.flatMap(({ id }) => known.get(id) ?? [])
		.filter(({ token }) => token || !target.needsToken);
	const right = target.events.flatMap((event) => {
		const wish = wishFor(target, event, state.secret ?? '');
		return present.find((each) => wasSent(each, wish)) ?? [];
	});
	const surplus = own.filter(({ id }) => right.every((each) => each.id !== id));
	return { all, right, surplus };
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
	const target = targetOf(context);
	const webhooks = await Webhooks.open(context);
	const { right, surplus } = await compare(webhooks, target, stateOf(context));
	return right.length === target.events.length && surplus.length === 0;
}

/**
 * Registers a webhook.
 * @param earlier ids of the webhooks that were there before
 * @returns its id, found at its address where the answer holds none, and its token, if it holds one
 */
async function make(
	webhooks: Webhooks,
	{ event, ...values }: Wish,
	earlier: Set<string>,
): Promise<{ id?: string; token?: string }> {
	const { id, token } = await webhooks.create({ ...values, events: [event] });
	if (id !== undefined) return { id, token };
	const isNew = (each: Webhook) => !earlier.has(each.id) && isAt(each.url, values.url);
	return { id: (await webhooks.list()).find(isNew)?.id, token };
}

/**
 * Registers one webhook for each event, keeps those that are right already, and removes what this
 * node made earlier and is no longer wanted. If anything fails, all that this node has registered
 * is removed again before it throws: n8n's own rollback may run without the ids.
 */
export async function register(context: IHookFunctions): Promise<void> {
	const target = targetOf(context);
	const state = stateOf(context);
	const webhooks = await Webhooks.open(context);
	const { all, right, surplus } = await compare(webhooks, target, state);
	state.registrations = remembered(webhooks, state);
	state.account = webhooks.account;
	// A new secret would make deliveries under way to the kept webhooks look forged.
	const known = right.length > 0 ? state.secret : undefined;
	const secret = known ?? randomBytes(24).toString('hex');
	state.secret = secret;
	const wanted = [...right];

	const work = async () => {
		for (const event of target.events) {
			if (right.some((each) => each.event === event)) continue;
			const wish = wishFor(target, event, secret);
			const earlier = new Set([...all, ...wanted].map(({ id }) => id));
			const { id, token } = await make(webhooks, wish, earlier);
			if (id === undefined) {
				throw new NodeOperationError(
					context.getNode(),
					"The API registered a webhook but returned no ID for it, and the list of webhooks doesn't show it. Look for it with Platform Webhooks, Get Many, and delete it.",
				);
			}
			wanted.push({ ...wish, id, token });
			// Remembered before the next request, which may fail.
			state.registrations = [...(state.registrations ?? []), { ...wish, id, token }];
			if (target.needsToken && !token) {
				throw new NodeOperationError(
					context.getNode(),
					'"Check Token" needs the token of the webhook, but the API returned none. Choose None: the secret in the URL is always checked.',
				);
			}
		}
		await removeAll(
			webhooks,
			surplus.map(({ id }) => id),
			state,
		);
		state.registrations = wanted;
	};
	await work().catch(async (error: unknown) => {
		// If something couldn't be undone, its ID and URL are kept, so the next attempt finds it.
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
	await forget(remembered(webhooks, state).map(({ id }) => id));
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
	delete state.account;
	delete state.registrations;
	delete state.secret;
}
