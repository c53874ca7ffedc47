// Finds out which registered webhooks belong to this node.
import type { IHookFunctions } from 'n8n-workflow';

import { accountOf } from '../shared/account';
import { recordOf } from '../shared/operation';
import type { Door } from '../shared/trigger';
import { stateOf, type Registration } from './state';
import { isAt, publicUrl } from './target';
import { listWebhooks, openDoor, type Webhook } from './webhooks';

/** The list shows no URL, or hides parts of it. */
const isMasked = (url: string | undefined) =>
	url === undefined || !URL.canParse(url) || /\*{2}|…/.test(url);

export interface Present {
	door: Door;
	/** All webhooks of the company. */
	all: Webhook[];
	/** Webhooks of this node, which it may remove. */
	own: Webhook[];
}

/** Logs which webhooks stay registered. A hook can't tell the user in any other way. */
function logLeft(context: IHookFunctions, left: Registration[], why: string): void {
	if (left.length === 0) return;
	const hosts = [...new Set(left.map(({ url }) => new URL(url).host))].join(', ');
	const ids = left.map(({ id }) => id).join(', ');
	context.logger.warn(
		`"${context.getNode().name}" left webhooks registered at ${hosts} (IDs ${ids}), because ${why}.`,
	);
}

const MOVED =
	'n8n has another URL now. In a copy of n8n, leave them: they belong to the original. If n8n has moved, turn on "Remove Webhooks at Earlier URLs" in Options and publish again';

const OTHER_KEY =
	"the API key is another one, and it can't be told that it belongs to the same company. If it does, find them with Platform Webhooks";

/**
 * Reads the list of webhooks, and updates the state: its account, and registrations at the present URL and
 * `elsewhere`.
 *
 * A webhook belongs to the node if it's at its present URL, whose path n8n makes for this node alone. Or if
 * its ID is remembered for this account, and the list doesn't show another URL than the one that was sent.
 * No other is ever removed: the ID can be that of another company or, after the API was restored from a
 * backup, of another webhook. Webhooks at earlier URLs are only removed if the user turns that on: in a copy
 * of n8n's database they belong to the original.
 * @returns undefined if this n8n has no public URL and nothing at an earlier URL is to be removed
 */
export async function presentOf(context: IHookFunctions): Promise<Present | undefined> {
	const state = stateOf(context);
	const remembered = [...(state.registrations ?? []), ...(state.elsewhere ?? [])];
	const base = publicUrl(context);
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const takesAll = settings.removeEarlier === true;
	if (base === undefined && !(takesAll && remembered.length > 0)) {
		state.elsewhere = remembered;
		state.registrations = [];
		logLeft(context, remembered, MOVED);
		return undefined;
	}
	const door = await openDoor(context);
	const { account, isSame } = await accountOf(door, state.account);
	if (!isSame) logLeft(context, remembered, OTHER_KEY);
	const known = new Map((isSame ? remembered : []).map((each) => [each.id, each]));
	const isHere = (url: string | undefined) => base !== undefined && isAt(url, base);
	const all = await listWebhooks(door);
	const recall = ({ id, url }: Webhook): Registration[] => {
		const registration = known.get(id);
		const isOurs = registration && (isMasked(url) || isAt(url, registration.url));
		return isOurs ? [registration] : [];
	};
	const own = all.filter(
		(each) => isHere(each.url) || recall(each).some(({ url }) => takesAll || isHere(url)),
	);
	const recalled = all.flatMap(recall);
	state.account = account;
	state.registrations = recalled.filter(({ url }) => isHere(url));
	state.elsewhere = recalled.filter(({ url }) => !isHere(url));
	if (!takesAll) logLeft(context, state.elsewhere, MOVED);
	return { door, all, own };
}
