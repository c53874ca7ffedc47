/**
 * What an area of the API is to the sandbox.
 *
 * To add an area:
 * 1. areas/<area>.cts exports its state's interface and `const <area>: Area<<Area>State>` with
 *    - `seed`: makes the state; areas that stand before it in areas/index.cts are already seeded;
 *    - `endpoints`: one entry for each row of the reference, keyed 'METHOD /path/{parameter}.json'.
 * 2. areas/index.cts gets a line in `areas`.
 *
 * The server has done the rest when a handler runs: key and scope are checked, path parameters
 * decoded, and the request holds to the contract, so that a handler may cast `call.body`. It
 * returns the body of a 200, or `created(...)`, `accepted(...)`, and throws `refuse('...')` for an
 * error of the table in refusals.cts. Lists go through `envelope` in lists.cts. Each answer is held
 * against the contract. areas/webhooks.cts is a short example of all of this.
 *
 * Whatever the reference does not show and a handler must decide goes into CHOICES.md; where the
 * reference allows another choice that a client could notice, it is a dimension of
 * ../contract/worlds.cts. Most of them are applied to the finished answer, by dressing.cts.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint as DocumentedEndpoint } from '../contract/contract.cts';
import type { World } from '../contract/worlds.cts';
import type { Random } from './random.cts';
import type { Refusal, RefusalName } from './refusals.cts';
import type { State } from './areas/index.cts';

/** What every handler shares. */
export interface Shared {
	/** How what the reference leaves open is decided here. */
	world: World;
	state: State;
	/** The moment, in one place, so that all timestamps of an answer agree. */
	now(): Date;
	/** A new id, unique in this sandbox: '<prefix>-<number>'. */
	newId(prefix: string): string;
	/** Delivers an event to each registered webhook that is subscribed to it. */
	emit(event: string, data: Record<string, unknown>): void;
	/** Runs something later, unless the sandbox is closed before. */
	after(milliseconds: number, run: () => void): void;
	/** After how many milliseconds a charge settles by itself; null: only by `settle`. */
	settleAfterMs: number | null;
}

/** What a fault does to the list of this call; see faults.cts. */
export interface PagingFault {
	kind: 'repeat-page' | 'grow' | 'shrink' | 'insert';
	rows: number;
}

/** One call of an endpoint. */
export interface Call extends Shared {
	/** What the contract says about the endpoint. */
	documented: DocumentedEndpoint;
	/** Decoded path parameters by name. */
	params: Record<string, string>;
	/** Query parameters; repeated ones, also as `name[]` or `name[0]`, come as an array. */
	query: Record<string, string | string[]>;
	/** The parsed JSON body; undefined when none was sent. */
	body: unknown;
	headers: IncomingHttpHeaders;
	/** The caller's address. */
	ip: string;
	pagingFaults: readonly PagingFault[];
}

/** An answer with another status than 200 or another type than JSON. */
export class Answer {
	constructor(
		readonly status: number,
		readonly body: unknown,
		readonly contentType = 'application/json; charset=utf-8',
	) {}
}

export const created = (body: unknown): Answer => new Answer(201, body);
export const accepted = (body: unknown): Answer => new Answer(202, body);

export type Handler = (call: Call) => unknown;

/**
 * An endpoint is its handler; or, where the reference shows how a request that breaks the
 * contract is refused, the handler with that answer: the name of a refusal, or a function that
 * finds it. Others are refused with `invalidRequest`.
 */
export type Endpoint =
	| Handler
	| { handle: Handler; invalid: RefusalName | ((call: Call) => Refusal | Answer) };

/** What seeds are made from. */
export interface Seeding {
	/** The areas seeded so far, in the order of areas/index.cts. */
	state: State;
	random: Random;
	/** The start of the day on which the sandbox was started, in UTC. */
	today: Date;
	/** How many customers to make. */
	customers: number;
}

export interface Area<Own> {
	seed(seeding: Seeding): Own;
	endpoints: Record<string, Endpoint>;
}

/** The value of a query parameter that is sent at most once. */
export function queryText(call: Call, name: string): string | undefined {
	const value = call.query[name];
	return Array.isArray(value) ? value[0] : value;
}
