// What tools have changed in an execution, whichever of its nodes they belong to. A model may ask for the same change twice: in
// other words, of another tool, or in n8n's Retry, which starts the agent anew. So a change is known by its request, and each
// write is looked up right before it leaves.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import type { ApiRequest } from '../base/apiRequest';
import { getAt, isRecord, recordOf, setAt, sortedJson } from '../base/data';
import { recordKey } from '../base/path';
import { wireName } from '../form/containers';
import { isOfAmounts, type Operation } from '../form/operation';
import { fieldsWithKey } from '../form/request';
import { requestFingerprint } from './book';
import { storeOf } from './idempotency';
import { isKept } from './ledger';

interface Change {
	execution: string;
	call: string;
	/** Key of the record that it changes. */
	record?: string;
	isInDoubt?: true;
	/** ID in the response, once it's done. */
	result?: string;
	/** The Same Change Only Once is on in its node. */
	isOnce?: true;
}

/** Milliseconds of a span. A change is refused in two spans, because n8n doesn't tell which calls of an MCP client repeat. */
const REPEATED = 600_000;

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/** A text as a person sees it: in one Unicode form, with single blanks. A moment is the same in whatever time zone. */
function plainText(value: string): string {
	const text = value.normalize('NFC').replace(/\s+/g, ' ').trim();
	const moment = MOMENT.test(text) ? new Date(text) : undefined;
	return moment && !Number.isNaN(moment.getTime()) ? moment.toISOString() : text;
}

/** A value with plain texts at any depth, and with its rows sorted if their order has no meaning. */
function plain(value: unknown, isInOrder: boolean): unknown {
	if (typeof value === 'string') return plainText(value);
	if (Array.isArray(value)) {
		const rows = value.map((each) => plain(each, isInOrder));
		return isInOrder
			? rows
			: rows.sort((one, other) => (sortedJson(one) < sortedJson(other) ? -1 : 1));
	}
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).map(([name, each]) => [name, plain(each, isInOrder)]);
	return Object.fromEntries(entries);
}

/** The body of a write that moves money, without what is the default of its field. */
function withoutDefaults({ root, fields = [] }: Operation, body: IDataObject = {}): IDataObject {
	const content = { ...recordOf(root === undefined ? body : body[root]) };
	for (const field of fieldsWithKey(fields)) {
		const key = wireName(field);
		if (field.default !== '' && getAt(content, key) === field.default)
			setAt(content, key, undefined);
	}
	return content;
}

/** Hash by which a change is known again in other words, as with other blanks, or for money with rows in another order. */
function changeOf(request: ApiRequest, operation?: Operation): string {
	const isMoney = isOfAmounts(operation?.measure);
	const body = operation && isMoney ? withoutDefaults(operation, request.body) : request.body;
	const { query, settings } = request;
	const content = plain({ query, body, settings }, !isMoney) as Partial<ApiRequest>;
	return requestFingerprint({ ...request, ...content }, operation);
}

/** ID of the record in an output row, by which a model finds again what it did. Empty if there's none. */
function idIn(record: IDataObject): string {
	// Without Simplify, the record may be below a key.
	const inner = Object.values(record).find((each) => isRecord(each) && each.id !== undefined);
	const id = record.id ?? recordOf(inner).id ?? record.execution_id ?? record.email ?? '';
	return String(id);
}

export class Changes {
	/** Changes of the execution by their hash, the newest last. Empty for each call if n8n keeps nothing. */
	private readonly all: Record<string, Change>;

	private readonly execution: string;

	private readonly call = randomBytes(6).toString('hex');

	/** Hashes of the changes of this call, with the change that `all` had there before. */
	private readonly begun = new Map<string, Change | undefined>();

	private texts: string[] = [];

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		private readonly isOnce: boolean,
		private readonly options: IDataObject,
	) {
		const place = `${operation.endpoint.api.package.name} changes`;
		const flow = (isKept(context) ? context.getContext('flow') : {}) as IDataObject;
		flow[place] ??= {};
		this.all = flow[place] as unknown as Record<string, Change>;
		this.execution = context.getExecutionId() ?? '';
	}

	/** Notes the change of this call before anything is sent. Throws an error for the model if it must not be sent again. */
	async check(request: ApiRequest): Promise<void> {
		const change = changeOf(request, this.operation);
		this.refuseKnown(change, request);
		// n8n's own Agents give each call a node of its own, so not even the store knows of the calls before.
		if (!this.isOnce || isKept(this.context) || this.context.getMode() === 'internal') {
			return this.note(change, request);
		}
		// Each call of an MCP client is an execution, and only n8n's store knows of the one before.
		const span = Math.floor(Date.now() / REPEATED);
		const [thisSpan, lastSpan] = [span, span - 1].map((each) => `change ${each} ${change}`);
		const store = storeOf(this.context, this.options);
		const isKnown =
			(await store.look([lastSpan])).has(lastSpan) || (await store.add([thisSpan])).has(thisSpan);
		await store.flush();
		if (isKnown) throw new Error(REPEATED_CALL);
		this.texts = [thisSpan];
	}

	/** Notes a write of an operation with several requests, which are only known when they leave. Throws as `check` does. */
	leaves(write: ApiRequest): void {
		if (this.operation.run === undefined) return;
		const change = changeOf(write);
		if (this.begun.has(change)) return;
		this.refuseKnown(change, write);
		this.note(change, write);
	}

	/** The changes of this call went through. The ID in the first row of the output is for a model that asks for them again. */
	sent(row: IDataObject): void {
		for (const change of this.begun.keys()) {
			delete this.all[change].isInDoubt;
			this.all[change].result = idIn(row);
		}
	}

	/** Nothing of this call was applied, so it leaves no trace. */
	async notSent(): Promise<void> {
		for (const [change, before] of this.begun) {
			if (before) this.all[change] = before;
			else delete this.all[change];
		}
		if (this.texts.length > 0) await storeOf(this.context, this.options).removeOnce(this.texts);
	}

	/** Notes a change as in doubt until its outcome is known. It's deleted first, since `all` has the newest last. */
	private note(change: string, request: ApiRequest): void {
		const { all, begun, isOnce, execution, call } = this;
		begun.set(change, all[change]);
		delete all[change];
		const record = recordKey(request);
		all[change] = {
			execution,
			call,
			isInDoubt: true,
			...(record !== undefined && { record }),
			...(isOnce && { isOnce: true as const }),
		};
	}

	/** True if other calls have changed the record since, as with on, off and on again. A repeatable change is new then. */
	private isSuperseded(change: string): boolean {
		const { all, call } = this;
		const known = all[change];
		if (known.record === undefined) return false;
		const names = Object.keys(all);
		return names
			.slice(names.indexOf(change) + 1)
			.map((name) => all[name])
			.some((other) => other.record === known.record && ![known.call, call].includes(other.call));
	}

	/**
	 * Throws an error for the model if a change must not be made again: in one execution, if The Same Change Only Once is on
	 * or the first change is in doubt. In n8n's Retry, which is another execution, always.
	 */
	private refuseKnown(change: string, request: ApiRequest): void {
		const { all, execution, isOnce } = this;
		const known = all[change];
		if (!known) return;
		if (request.endpoint.isRepeatable && this.isSuperseded(change)) return;
		if (known.isInDoubt) throw new Error(IN_DOUBT);
		const isInRetry = known.execution !== execution;
		if (isOnce || known.isOnce === true || isInRetry) throw new Error(doneText(known.result));
	}
}

const IN_DOUBT =
	'The same change was sent before and may have gone through, so it was not sent again. Look up whether it did, or ask the user.';

const REPEATED_CALL =
	'The same change was sent within the last 20 minutes, so it was not sent again. Look up whether it went through. To do it a second time, ask the user.';

const doneText = (result = '') =>
	`This was done already${result ? `: ${result}` : ''}. It was not sent again. To do it a second time, ask the user.`;
