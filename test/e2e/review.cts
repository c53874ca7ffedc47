// A person who answers n8n's human review by email: approves or refuses with the links in it.
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { textOf, type MailServer } from './mailServer.cts';
import type { UsableN8n } from './setting.cts';

/** n8n takes a link that a program follows for a preview. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';

/** Waits for the email that asks, and follows the link of one answer. */
export async function answerReview(
	{ ca, url }: UsableN8n,
	{ mails }: MailServer,
	approved: boolean,
	before: () => void = () => undefined,
): Promise<void> {
	for (let tries = 0; mails.length === 0 && tries < 300; tries++) {
		await sleep(200);
	}
	before();
	const text = textOf(mails[0]).replaceAll('&amp;', '&');
	const links = [...text.matchAll(/https?:\/\/[^\s"'<>]+/g)].map(([link]) => link);
	const link = links.find((each) => each.includes(`approved=${approved}`));
	const { pathname, search } = new URL(String(link));
	const dispatcher = new Agent({ connect: { ca } });
	const answer = async () =>
		await fetch(new URL(pathname + search, url), {
			dispatcher,
			headers: { 'user-agent': BROWSER },
		});
	let { status } = await answer();
	// The mail is sent before n8n has saved the execution as one that waits, and refuses until then.
	for (let tries = 0; status !== 200 && tries < 150; tries++) {
		await sleep(200);
		({ status } = await answer());
	}
	expect(status).toBe(200);
}
