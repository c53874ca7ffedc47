// Asks a service, one GET at a time, and remembers what came: no write can be sent from here.
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';

/** One question and its answer. */
export interface Asked {
	/** Path below the version with its query, as sent. */
	path: string;
	/** 0 where no answer came. */
	status: number;
	/** The parsed body; undefined where it is no JSON. */
	body: unknown;
	/** The body as it came, where it is no JSON. */
	raw?: Uint8Array;
	headers: Record<string, string | string[] | undefined>;
}

/** Waits that a service may ask for in all, in milliseconds. */
const PATIENCE = 120_000;

/** Longest wait for one answer, in milliseconds. */
const TIMEOUT = 30_000;

/** Milliseconds that a 429 asks to wait: seconds or a date; without either, a second and a half. */
function pauseOf(header: string | string[] | undefined): number {
	const text = String(header ?? '');
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? 1500 : Math.max(0, date - Date.now());
}

function parsed(bytes: Uint8Array): { body: unknown; raw?: Uint8Array } {
	try {
		return { body: JSON.parse(Buffer.from(bytes).toString()) as unknown };
	} catch {
		return { body: undefined, raw: bytes };
	}
}

export class Service {
	/** All answers, in the order of the questions. */
	readonly asked: Asked[] = [];

	/** Retry-After of the refusals, as headers; undefined where one had none. */
	readonly pauses: Array<string | string[] | undefined> = [];

	private readonly base: string;

	private waited = 0;

	constructor(
		baseUrl: string,
		private readonly key: string,
	) {
		// As the credential takes it: a trailing slash or a pasted version is fine.
		this.base = baseUrl.replace(/\/+$/, '').replace(/\/2026-02-01$/, '');
	}

	/** @throws when nothing can be reached at all */
	async get(path: string): Promise<Asked> {
		const known = this.asked.find((each) => each.path === path);
		if (known) return known;
		for (;;) {
			const answer = await request(`${this.base}/2026-02-01${path}`, {
				headers: { authorization: `Bearer ${this.key}`, accept: 'application/json' },
				headersTimeout: TIMEOUT,
				bodyTimeout: TIMEOUT,
			});
			const bytes = await answer.body.bytes();
			const { statusCode: status, headers } = answer;
			if (status === 429 && this.waited < PATIENCE) {
				this.pauses.push(headers['retry-after']);
				const pause = Math.min(pauseOf(headers['retry-after']), PATIENCE);
				this.waited += pause;
				await wait(pause);
				continue;
			}
			const asked: Asked = { path, status, headers, ...parsed(bytes) };
			this.asked.push(asked);
			return asked;
		}
	}
}
