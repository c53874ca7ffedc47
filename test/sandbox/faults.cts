/**
 * Faults on demand. A rule says which requests it hits and what happens to them.
 *
 * | kind | the handler runs | what the client gets |
 * |---|---|---|
 * | status | no | `status` with `body` and `headers` |
 * | redirect | no | 302 (or `status`) to `location` |
 * | html | no | 200 (or `status`) with an HTML page |
 * | reset-before | no | a closed connection |
 * | reset-after | yes | a closed connection |
 * | stall | no | nothing, until the sandbox is closed |
 * | empty | yes | the right status with no body |
 * | cut-json | yes | the first half of the right body |
 * | wrong-content-type | yes | the right body as text/plain |
 * | big | yes | the right body with 10 MB of blanks after it |
 * | delay | yes | the right answer, `ms` later |
 * | repeat-page | yes | page 1 for every page |
 * | grow, shrink | yes | a list with `rows` (1) more, or fewer, rows at its end |
 * | insert | yes | a list with `rows` (1) more rows at its front |
 *
 * `applied: true` makes the handler run where the table says no: the write is done, its answer
 * lost. A list changes midway with `nth: {from: 3}`: from the third request on it stays changed.
 */
import type { FastifyReply } from 'fastify';
import { Answer, type PagingFault } from './area.cts';

const skipping = ['status', 'redirect', 'html', 'reset-before', 'stall'] as const;
const applying = ['reset-after', 'empty', 'cut-json', 'wrong-content-type', 'big'] as const;
const paging = ['repeat-page', 'grow', 'shrink', 'insert'] as const;

type FaultKind =
	| 'delay'
	| (typeof skipping)[number]
	| (typeof applying)[number]
	| (typeof paging)[number];

export interface FaultRule {
	kind: FaultKind;
	method?: string;
	/**
	 * An endpoint's path with its parameters in braces, or a path as sent without its query;
	 * beginning with '^', a regular expression over the path as sent with its query. All of them
	 * without the version. Every request, if left out.
	 */
	path?: string;
	/** Which of the matching requests are hit, counted from 1; all, if left out. */
	nth?: number | readonly number[] | { from: number; to?: number };
	/** How often the rule hits at most. */
	times?: number;
	applied?: boolean;
	status?: number;
	/** JSON, or a text to be sent as it is. */
	body?: unknown;
	headers?: Record<string, string>;
	/** The Retry-After header: seconds or an HTTP date. */
	retryAfter?: number | string;
	location?: string;
	ms?: number;
	rows?: number;
}

export interface ActiveFault {
	/** How many requests the rule has hit so far. */
	readonly hits: number;
	remove(): void;
}

interface Request {
	method: string;
	/** Path and query as sent. */
	path: string;
	/** The endpoint's path with parameters in braces. */
	template: string;
}

class Rule implements ActiveFault {
	hits = 0;

	private seen = 0;

	constructor(
		readonly rule: FaultRule,
		readonly remove: () => void,
	) {}

	fires(request: Request): boolean {
		if (!this.matches(request)) return false;
		this.seen += 1;
		if (this.hits >= (this.rule.times ?? Infinity) || !this.isDue()) return false;
		this.hits += 1;
		return true;
	}

	private matches({ method, path, template }: Request): boolean {
		const rule = this.rule;
		if (rule.method && rule.method.toUpperCase() !== method) return false;
		if (!rule.path) return true;
		if (rule.path.startsWith('^')) return new RegExp(rule.path).test(path);
		return rule.path === template || rule.path === path.split('?')[0];
	}

	private isDue(): boolean {
		const { nth } = this.rule;
		if (nth === undefined) return true;
		if (typeof nth === 'number') return this.seen === nth;
		if ('from' in nth) return this.seen >= nth.from && this.seen <= (nth.to ?? Infinity);
		return nth.includes(this.seen);
	}
}

/** What is to happen to one request. */
export interface Fate {
	delayMs: number;
	pagingFaults: PagingFault[];
	/** The fault of the answer itself; the oldest rule wins. */
	fault?: FaultRule;
	/** The handler does not run. */
	skipsHandler: boolean;
}

const has = (kinds: readonly string[], kind: string): boolean => kinds.includes(kind);

export class Faults {
	private rules: Rule[] = [];

	add(rule: FaultRule): ActiveFault {
		const active = new Rule(rule, () => {
			this.rules = this.rules.filter((other) => other !== active);
		});
		this.rules.push(active);
		return active;
	}

	clear(): void {
		this.rules = [];
	}

	/** Counts the request for every rule that matches it. */
	fateOf(request: Request): Fate {
		const firing = this.rules.filter((rule) => rule.fires(request)).map(({ rule }) => rule);
		const fault = firing.find(({ kind }) => has(skipping, kind) || has(applying, kind));
		return {
			delayMs: firing.reduce((sum, { kind, ms }) => sum + (kind === 'delay' ? (ms ?? 0) : 0), 0),
			pagingFaults: firing.flatMap(({ kind, rows = 1 }) =>
				has(paging, kind) ? [{ kind: kind as PagingFault['kind'], rows }] : [],
			),
			fault,
			skipsHandler: fault !== undefined && has(skipping, fault.kind) && !fault.applied,
		};
	}
}

/** The text or bytes of an answer on the wire. */
export function payloadOf(answer: Answer): string | Buffer {
	if (answer.body === '') return '';
	return Buffer.isBuffer(answer.body) ? answer.body : JSON.stringify(answer.body);
}

/**
 * Answers as the fault wants it.
 * @param answer what the handler answered, if it ran
 * @returns the status sent, or null when there was no answer
 */
export function inflict(
	fault: FaultRule,
	answer: Answer | undefined,
	reply: FastifyReply,
): number | null {
	const { kind } = fault;
	if (kind === 'stall') {
		reply.hijack();
		return null;
	}
	if (kind === 'reset-before' || kind === 'reset-after') {
		reply.hijack();
		reply.raw.destroy();
		return null;
	}
	if (kind === 'status' || kind === 'redirect' || kind === 'html') {
		return answerInstead(kind, fault, reply);
	}
	if (!answer) throw new Error(`The fault ${kind} needs the handler's answer`);
	const payload = payloadOf(answer);
	void reply.code(answer.status).type(answer.contentType);
	if (kind === 'empty') void reply.send('');
	if (kind === 'cut-json') void reply.send(payload.slice(0, Math.ceil(payload.length / 2)));
	if (kind === 'wrong-content-type') void reply.type('text/plain; charset=utf-8').send(payload);
	if (kind === 'big') void reply.send(payload + ' '.repeat(10_000_000));
	return answer.status;
}

/** Answers without the handler. */
function answerInstead(
	kind: 'status' | 'redirect' | 'html',
	fault: FaultRule,
	reply: FastifyReply,
): number {
	const status = fault.status ?? { status: 500, redirect: 302, html: 200 }[kind];
	void reply.code(status);
	if (kind === 'redirect') void reply.header('location', fault.location ?? '/');
	if (fault.retryAfter !== undefined) void reply.header('retry-after', fault.retryAfter);
	const html = '<!doctype html><title>Please wait</title><p>Please wait a moment.</p>';
	const body = fault.body ?? (kind === 'html' ? html : { error: `Fault ${status}` });
	void reply.type(kind === 'html' ? 'text/html; charset=utf-8' : 'application/json');
	void reply.headers(fault.headers ?? {});
	void reply.send(typeof body === 'string' ? body : JSON.stringify(body));
	return status;
}
