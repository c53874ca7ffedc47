/**
 * The services behind connections and vector stores. Nothing is really asked: a service fails
 * while the name of its connection or store contains 'failing'.
 */
import { randomInt } from 'node:crypto';

export const isDown = ({ name }: { name: string }): boolean => /failing/i.test(name);

/** How long an outside service takes to answer, in milliseconds. */
export const durationMs = (): number => randomInt(40, 400);

/** An HTTPS address without credentials in it; undefined for every other text. */
export function httpsUrl(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	return url.protocol === 'https:' && !url.username && !url.password ? url : undefined;
}
