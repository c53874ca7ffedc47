// Finds out which registered webhooks belong to this node.
import type { IHookFunctions } from 'n8n-workflow';

import { recognizeAccount } from '../api/account';
import { recordOf } from '../engine/base/data';
import { inPool } from '../engine/base/pool';
import type { Door } from '../engine/node/trigger';
import { hasSecret } from './secrets';
import { stateOf, type Registration } from './state';
import { markFor, publicUrl } from './target';
import { hasMark, hasOtherMark, hidesMark, isAt, mayBe } from './urls';
import { findWebhook, listWebhooks, openDoor, type Webhook } from './webhooks';

/** A remembered registration, and the webhook as the API shows it. */
interface Recalled {
	registration: Registration;
	webhook: Webhook;
}

export interface Present {
	door: Door;
	all: Webhook[];
	/** Webhooks of this node, which it may remove. */
	own: Webhook[];
	/** Webhooks at the node's present URL that it remembers. */
	recalled: Recalled[];
}

/** Logs which webhooks stay registered. A hook can't tell the user in any other way. */
export function logLeft(
	context: IHookFunctions,
	left: Array<{ id: string; url?: string }>,
	why: string,
): void {
	if (left.length === 0) return;
	const urls = left.map(({ url = '' }) => url).filter((url) => URL.canParse(url));
	const hosts = [...new Set(urls.map((url) => new URL(url).host))].join(', ');
	const ids = left.map(({ id }) => id).join(', ');
	context.logger.warn(
		`"${context.getNode().name}" left webhooks registered at ${hosts} (IDs ${ids}), because ${why}.`,
	);
}

const MOVED =
	'n8n has another URL now. In a copy of n8n, leave them: they belong to the original. If n8n has moved, turn on "Remove Webhooks at Earlier URLs" in Options and publish again';

const OTHER_KEY =
	"the API key is another one, and it can't be told that it belongs to the same company. If it does, find them with Platform Webhooks";

const NOT_TOLD =
	"the API doesn't list them and doesn't say that they're gone. If they exist, their deliveries are refused";

const HIDDEN =
	"the API hides a part of their URL, so it can't be told whether this node registered them. If no other workflow has this URL, delete them with Platform Webhooks";

/** The secret tells. Where the API hides that, the ID tells, with a URL that may be the registered one. */
function isOf({ id, url }: Webhook, registration: Registration, mark: string): boolean {
	if (url !== undefined && hasSecret(url, registration.secret)) return true;
	return id === registration.id && mayBe(url, registration.url) && !hasOtherMark(url, mark);
}

/**
 * Looks up the registrations that the list doesn't show.
 * @param mayStayUntold true to go on if the API doesn't tell about a webhook. Otherwise that's an error, unless it `isDead`
 *   already.
 * @returns the webhooks that exist, and the registrations that the API doesn't tell about. They are `isDead` from now on.
 */
async function lookUp(
	door: Door,
	unlisted: Registration[],
	mayStayUntold: boolean,
): Promise<{ found: Webhook[]; untold: Registration[] }> {
	const found: Webhook[] = [];
	const untold: Registration[] = [];
	await inPool(unlisted.length, door.parallel, async (index) => {
		const registration = unlisted[index];
		const webhook = await findWebhook(door, registration.id, mayStayUntold || registration.isDead);
		if (webhook === 'untold') untold.push({ ...registration, isDead: true });
		else if (webhook !== 'gone') found.push(webhook);
	});
	return { found, untold };
}

/** Only those with the node's mark, because a copied workflow has the registrations of the original in its data. */
function rememberedOf(context: IHookFunctions): Registration[] {
	const { registrations = [], elsewhere = [] } = stateOf(context);
	const mark = markFor(context);
	return [...registrations, ...elsewhere].filter(({ url }) => hasMark(url, mark));
}

/** Registrations of the node with their webhooks, and the webhooks that are its own to change or remove. */
interface Recognized {
	recalled: Recalled[];
	own: Webhook[];
	/** Webhooks that may be the node's: at its URL without a mark, or with its mark and a hidden path. */
	strangers: Webhook[];
}

interface Place {
	/** The node's present URL, if this n8n has a public one. */
	base: string | undefined;
	/** True for the present URL, with any query. */
	isHere: (url: string | undefined) => boolean;
	/** Webhooks at earlier URLs belong to the node, too. */
	takesAll: boolean;
}

/**
 * A webhook belongs to the node if one of these is true:
 * - Its URL is the present one of the node, and has the node's mark.
 * - Its URL has a secret that is remembered.
 * - Its ID is remembered for this account, and nothing that the API shows of its URL is different from what was sent.
 *
 * No other is ever removed: the ID can be that of another company or, after the API was restored from a backup, of another
 * webhook. Webhooks at earlier URLs are only removed if the user turns that on: in a copy of n8n's database they belong to the
 * original.
 * @param known registrations of this node that are remembered for this account
 */
function recognize(
	all: Webhook[],
	known: Registration[],
	mark: string,
	{ base, isHere, takesAll }: Place,
): Recognized {
	const recalled = known.flatMap((registration): Recalled[] => {
		const webhook = all.find((each) => isOf(each, registration, mark));
		// A webhook that is known by its secret may have another ID than was remembered.
		return webhook ? [{ registration: { ...registration, id: webhook.id }, webhook }] : [];
	});
	const sentUrlsOf = ({ id }: Webhook) =>
		recalled.flatMap(({ webhook, registration }) => (webhook.id === id ? [registration.url] : []));
	// The URL counts that the API shows or, since it may hide that, the URL that was sent.
	const own = all.filter(
		(each) =>
			(isHere(each.url) && hasMark(each.url, mark)) ||
			sentUrlsOf(each).some((url) => takesAll || isHere(url)),
	);
	const mayBeOwn = ({ url }: Webhook) =>
		isHere(url) ? hidesMark(url) : hasMark(url, mark) && base !== undefined && mayBe(url, base);
	const strangers = all.filter((each) => mayBeOwn(each) && sentUrlsOf(each).length === 0);
	return { recalled, own, strangers };
}

/**
 * Reads the list of webhooks, and finds those of the node. Updates the state: its account, and its registrations at the
 * present URL and `elsewhere`. Forgets those that are gone, and all if the account is another one. The list may be cut or old,
 * so what it lacks is looked up by ID. Logs which webhooks it leaves.
 * @returns undefined if this n8n has no public URL and nothing at an earlier URL is to be removed
 */
export async function findPresent(
	context: IHookFunctions,
	mayStayUntold: boolean,
): Promise<Present | undefined> {
	const state = stateOf(context);
	const mark = markFor(context);
	const remembered = rememberedOf(context);
	const base = publicUrl(context);
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const takesAll = settings.removeEarlier === true;
	const hasEarlierToRemove = takesAll && remembered.length > 0;
	if (base === undefined && !hasEarlierToRemove) {
		state.elsewhere = remembered;
		state.registrations = [];
		logLeft(context, remembered, MOVED);
		return undefined;
	}
	const door = await openDoor(context);
	const { account, isSame } = await recognizeAccount(door, state.account);
	if (!isSame) logLeft(context, remembered, OTHER_KEY);
	const isHere = (url: string | undefined) => base !== undefined && isAt(url, base);

	const listed = await listWebhooks(door);
	const known = isSame ? remembered : [];
	const unlisted = known.filter((each) => !listed.some(({ id }) => id === each.id));
	const { found, untold } = await lookUp(door, unlisted, mayStayUntold);
	logLeft(context, untold, NOT_TOLD);
	const all = [...listed, ...found];

	const { recalled, own, strangers } = recognize(all, known, mark, { base, isHere, takesAll });
	logLeft(context, strangers, HIDDEN);

	const kept = [...recalled.map(({ registration }) => registration), ...untold];
	state.account = account;
	state.registrations = kept.filter(({ url }) => isHere(url));
	state.elsewhere = kept.filter(({ url }) => !isHere(url));
	if (!takesAll) logLeft(context, state.elsewhere, MOVED);
	return { door, all, own, recalled: recalled.filter((each) => isHere(each.registration.url)) };
}
