// What tools have changed in an execution, whichever of its nodes they belong to. A model may ask for the same change twice: in
// other words, of another tool, or in n8n's Retry, which starts the agent anew. So a change is known by its request, and each
// write is looked up right before it leaves.
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';

import type { ApiRequest } from '../base/apiRequest';
import { getAt, hashOf, isRecord, recordOf, setAt, sortedJson } from '../base/data';
import { recordKey } from '../base/path';
import { wireName } from '../form/containers';
import { isOfAmounts, type Operation } from '../form/operation';
import { fieldsWithKey } from '../form/request';
import { storeOf } from './idempotency';
import { isKept, requestFingerprint } from './ledger';

/** A change that was sent, as plain JSON. */
interface Change {
	execution: string;
	/** The call that made it. */
	call: string;
	/** Key of the record that it changes. */
	record?: string;
	/** It may have gone through. */
	isInDoubt?: true;
	/** ID in the response, once it's done. */
	result?: string;
	/** The Same Change Only Once is on in its node. */
	isOnce?: true;
}

/** Milliseconds in which an MCP client may repeat a call, at least. n8n tells nothing else of its calls. */
const REPEATED = 600_000;

/** Trims texts at any depth, and sorts rows. */
function plain(value: unknown): unknown {
	if (typeof value === 'string') return value.trim();
	if (Array.isArray(value))
		return value.map(plain).sort((one, other) => (sortedJson(one) < sortedJson(other) ? -1 : 1));
	if (!isRecord(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

/** A body that moves money, the same for the same thing in other words: without what is the default of its field. */
function plainBody({ root, fields = [] }: Operation, body: IDataObject = {}): unknown {
	const content = { ...recordOf(root === undefined ? body : body[root]) };
	for (const field of fieldsWithKey(fields)) {
		const place = wireName(field);
		if (field.default !== '' && getAt(content, place) === field.default)
			setAt(content, place, undefined);
	}
	return plain(content);
}

/**
 * Two changes are the same if they send the same request. An operation with several requests only knows them as it goes, so
 * it's compared by the request that its form makes, and by its settings.
 */
function changeOf(operation: Operation, request: ApiRequest): string {
	const isMoney = isOfAmounts(operation.measure);
	const body = isMoney ? recordOf(plainBody(operation, request.body)) : request.body;
	const own = requestFingerprint({ ...request, body });
	if (!operation.run) return own;
	return `${own} ${hashOf(sortedJson(request.settings ?? {})).slice(0, 8)}`;
}

/** The ID of the record, so that a model finds again what it did. */
function idIn(record: IDataObject): string {
	const inner = Object.values(record).find((each) => isRecord(each) && each.id !== undefined);
	const id = record.id ?? recordOf(inner).id ?? record.execution_id ?? record.email ?? '';
	return String(id);
}

/** The changes of one call of a tool. */
export class Changes {
	private readonly all: Record<string, Change>;

	private readonly execution: string;

	private readonly call = randomBytes(6).toString('hex');

	/** Changes of this call, with what stood there before. */
	private readonly begun = new Map<string, Change | undefined>();

	/** Texts that this call has left in n8n's store. */
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

	/**
	 * Is called before anything is sent.
	 * @throws Error for the model, if this change was sent before
	 */
	async check(request: ApiRequest): Promise<void> {
		const change = changeOf(this.operation, request);
		this.refuseKnown(change, request);
		if (!this.isOnce || isKept(this.context) || this.context.getMode() === 'internal') {
			return this.note(change, request);
		}
		// Each call of an MCP client is an execution, and only n8n's store knows of the one before.
		const span = Math.floor(Date.now() / REPEATED);
		const [now, before] = [span, span - 1].map((each) => `change ${each} ${change}`);
		const store = storeOf(this.context, this.options);
		const isKnown = (await store.look([before])).has(before) || (await store.add([now])).has(now);
		await store.flush();
		if (isKnown) throw new Error(REPEATED_CALL);
		this.texts = [now];
	}

	/**
	 * Is called with each write before it leaves. The requests of an operation with several steps are only known now.
	 * @throws Error for the model, if it was sent before
	 */
	leaves(write: ApiRequest): void {
		if (this.operation.run === undefined) return;
		const change = requestFingerprint(write);
		if (this.begun.has(change)) return;
		this.refuseKnown(change, write);
		this.note(change, write);
	}

	/** @param row the first row of the output */
	sent(row: IDataObject): void {
		for (const change of this.begun.keys()) {
			delete this.all[change].isInDoubt;
			this.all[change].result = idIn(row);
		}
	}

	/** Nothing was sent. */
	async notSent(): Promise<void> {
		for (const [change, before] of this.begun) {
			if (before) this.all[change] = before;
			else delete this.all[change];
		}
		if (this.texts.length > 0) await storeOf(this.context, this.options).removeOnce(this.texts);
	}

	/** Notes a change as in doubt until its outcome is known. It's the newest of its record now. */
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

	/** True if another call has changed the record since, as back and forth: what is safe to repeat is a new change then. */
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
	 * The same change may be made again in one execution, unless The Same Change Only Once is on or the first one is in doubt.
	 * n8n's Retry is another execution, so there it may not.
	 * @throws Error for the model, if this change must not be sent again
	 */
	private refuseKnown(change: string, request: ApiRequest): void {
		const { all, execution, isOnce } = this;
		const known = all[change];
		if (!known) return;
		if (request.endpoint.isRepeatable && this.isSuperseded(change)) return;
		if (known.isInDoubt) throw new Error(IN_DOUBT);
		const isRefused = isOnce || known.isOnce === true || known.execution !== execution;
		if (isRefused) throw new Error(doneText(known.result));
	}
}

const IN_DOUBT =
	'The same change was sent before and may have gone through, so it was not sent again. Look up whether it did, or ask the user.';

const REPEATED_CALL =
	'The same change was sent within the last 20 minutes, so it was not sent again. Look up whether it went through. To do it a second time, ask the user.';

const doneText = (result = '') =>
	`This was done already${result ? `: ${result}` : ''}. It was not sent again. To do it a second time, ask the user.`;
