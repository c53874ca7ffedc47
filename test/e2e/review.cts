// A person who answers n8n's human review by email: approves or refuses with the links in it.
import { Agent, fetch } from 'undici';
import { until } from '../n8n/until.cts';
import { linksOf, type MailServer } from '../n8n/mailServer.cts';
import type { UsableN8n } from '../n8n/setting.cts';

/** n8n takes a link that a program follows for a preview. */
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';

/** Waits for the email that asks, and follows the link of one answer. */
export async function answerReview(
	{ ca, url }: UsableN8n,
	{ mails }: MailServer,
	approved: boolean,
): Promise<void> {
	await until('the email that asks', () => mails.length > 0);
	const link = linksOf(mails[0]).find((each) => each.includes(`approved=${approved}`));
	const { pathname, search } = new URL(String(link));
	const dispatcher = new Agent({ connect: { ca } });
	// The mail is sent before n8n has saved the execution as one that waits, and refuses until then.
	const taken = async () => {
		const { status } = await fetch(new URL(pathname + search, url), {
			dispatcher,
			headers: { 'user-agent': BROWSER },
		});
		return status === 200;
	};
	await until('n8n to take the answer', taken);
}
