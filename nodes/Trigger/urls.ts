// URLs of webhooks, compared without what the API may rewrite, cut or hide.
import { createHash } from 'node:crypto';

import { decoded, parsedUrl, placeOf, withoutEndSlashes } from '../api/webhookUrl';
import { isBeginning } from './secrets';

const EVENT = 'event';

const MARK = 'node';

const SECRET = 'secret';

export function isAt(url: string | undefined, base: string): boolean {
	const [one, other] = [parsedUrl(url), parsedUrl(base)];
	return one !== undefined && other !== undefined && placeOf(one) === placeOf(other);
}

/** The API may change the case of a URL, and add a slash at its end. */
function valueIn(url: string | undefined, name: string): string | undefined {
	const entries = [...(parsedUrl(url)?.searchParams ?? [])];
	const found = entries.find(([each]) => each.toLowerCase() === name);
	return found && withoutEndSlashes(found[1]).toLowerCase();
}

/** The text has a mask, such as `***`. A path has `…` percent-encoded. */
const isMasked = (text: string) => /\*{2}|…|%e2%80%a6|\.{3}/i.test(text);

/** The list shows no mark of a node: it hides the query, or all of the URL. */
export function hidesMark(url: string | undefined): boolean {
	const shown = valueIn(url, MARK);
	return shown === undefined || isMasked(shown);
}

/** Mark of a node in its URLs. A workflow that is copied with its webhookId has the same path, so that isn't enough. */
export const markOf = (workflowId: string, nodeId: string) =>
	createHash('sha256').update(`${workflowId} ${nodeId}`).digest('hex').slice(0, 16);

export const hasMark = (url: string | undefined, mark: string) => valueIn(url, MARK) === mark;

/** The API may change the case of a URL. */
export const hasEvent = (url: string | undefined, event: string) =>
	valueIn(url, EVENT) === event.toLowerCase();

/** The URL shows the mark of another node. The beginning of this node's mark isn't one: the API may cut URLs. */
export function hasOtherMark(url: string | undefined, mark: string): boolean {
	const shown = valueIn(url, MARK);
	return shown !== undefined && !isMasked(shown) && !mark.startsWith(shown);
}

export function urlFor(base: string, event: string, mark: string): string {
	const url = new URL(base);
	url.searchParams.set(EVENT, event);
	url.searchParams.set(MARK, mark);
	return url.toString();
}

/** The secret is the last value of the query, so it's the first that is missing if the API cuts URLs. */
export const withSecret = (url: string, secret: string) => `${url}&${SECRET}=${secret}`;

/** The API cut the URL. Not if the list hides path, query or secret. `sent` is the registered URL without the secret. */
export function isTruncated(listed: string | undefined, sent: string): boolean {
	const [listedUrl, sentUrl] = [parsedUrl(listed), parsedUrl(sent)];
	if (listedUrl === undefined || sentUrl === undefined || isMasked(String(listed))) return false;
	const secret = valueIn(listed, SECRET);
	if (secret !== undefined) return isBeginning(secret);
	const text = (url: URL) => `${placeOf(url)}${decoded(url.search).toLowerCase()}`;
	const [shown, full] = [text(listedUrl), text(sentUrl)];
	const isPart = `${full}&${SECRET}=`.startsWith(shown) && shown !== full;
	const hidesQuery = shown === placeOf(sentUrl);
	const hidesPath = listedUrl.pathname === '/';
	return isPart && !hidesQuery && !hidesPath;
}

/** The listed URL may be the one that was sent: nothing that the list shows of its host and path is different. */
export function mayBe(listed: string | undefined, sent: string): boolean {
	const url = parsedUrl(listed);
	return (
		url === undefined || isMasked(placeOf(url)) || isAt(listed, sent) || isTruncated(listed, sent)
	);
}
