// One input item -> its checked request, and the API client that sends it. A write builds, checks and measures all
// items before the first one is sent.
import { NodeOperationError, sleep, type IExecuteFunctions, type INode } from 'n8n-workflow';

import { FieldFault, type ApiRequest } from '../base/apiRequest';
import { itemName, KEY_FIELD, rowName } from '../base/itemName';
import { IN_ONE_GO, inPool, Stopped } from '../base/pool';
import type { Api } from '../client/api';
import type { RequestContext } from '../client/door';
import { withoutParameters } from '../client/http/errorContext';
import { nodeError } from '../client/http/errors';
import { Cancelled } from '../client/http/transport';
import { hasLimits, type FileIn, type Operation, type Unique } from '../form/operation';
import { buildRequest, formOf, type Form } from '../form/request';
import { keyIn } from '../form/safety';
import { requestFingerprint } from './book';
import { nameOfWrite } from './doubt';
import { EmptyFields } from './emptyFields';
import { faultsText } from './faultyItems';
import { keyFrom } from './idempotency';
import {
	parametersOf,
	secretFieldsOf,
	secretTexts,
	sentFields,
	type Parameter,
} from './parameters';
import { sumOf } from './budget';
import { Replaced } from './replaced';
import type { Session } from './session';
import { givenByModel } from './toolValues';

export interface Prepared {
	index: number;
	parameter: Parameter;
	form: Form;
	request: ApiRequest;
	/** Its Idempotency Key, if the form has one, and the hash of that. */
	key?: string;
	keyHash?: string;
	/** Hash of the request. Empty for reads. */
	fingerprint: string;
}

/** An item at its turn. */
export interface Work extends Prepared {
	context: IExecuteFunctions;
	session: Session;
	api: Api;
}

const filesOf =
	(context: IExecuteFunctions, index: number): FileIn =>
	async (field) => {
		const file = context.getInputData()[index].binary?.[field];
		if (!file) return undefined;
		const data = await context.helpers.getBinaryDataBuffer(index, field);
		return { name: file.fileName, data };
	};

/** The API for one item. Its errors name the item, and its writes are checked against earlier changes before they leave. */
export function apiFor(
	context: IExecuteFunctions,
	session: Session,
	prepared: Prepared,
	more: Pick<RequestContext, 'runSignal' | 'lostResponse'>,
): Api {
	const { operation, door, isTool, writing } = session;
	const { index, form, request, parameter, key } = prepared;
	const items = session.indexes.length;
	const api = door.api({
		action: operation.action,
		itemIndex: index,
		items,
		item: () => namedBy(context, operation, index, key),
		write: hasLimits(operation) ? () => nameOfWrite(session, prepared, items) : undefined,
		// An agent only reads the message.
		described: !isTool,
		lookupKeys: request.lookupKeys,
		sent: () => sentFields(form),
		secrets: secretFieldsOf(operation).flatMap((field) =>
			secretTexts(field, parameter(field.name)),
		),
		...more,
	});
	const changes = writing?.changes;
	if (changes) api.writes.guard = (write) => changes.leaves(write);
	return api;
}

/** The JSON by which an error names an item, with its Idempotency Key. Not for a form with secrets: the item may hold them. */
function namedBy(
	context: IExecuteFunctions,
	operation: Operation,
	index?: number,
	key?: string,
): unknown {
	if (index === undefined || secretFieldsOf(operation).length > 0) return undefined;
	const json = context.getInputData()[index]?.json;
	return key === undefined ? json : { [KEY_FIELD]: key, ...json };
}

/** The Idempotency Key by which an error names an item. Undefined if the form has none, or if the key itself is wrong. */
function idempotencyKeyAt(context: IExecuteFunctions, { writing }: Session, index?: number) {
	if (!writing?.keys || index === undefined) return undefined;
	try {
		const parameter = (name: string): unknown => context.getNodeParameter(name, index, '');
		return keyFrom(keyIn(parameter), KEY_FIELD);
	} catch {
		return undefined;
	}
}

/** Names an item for an error, without a value that no error may show. */
export function nameIn(context: IExecuteFunctions, session: Session, index: number): string {
	const item = namedBy(
		context,
		session.operation,
		index,
		idempotencyKeyAt(context, session, index),
	);
	return itemName(index, item, session.door.secrets.texts);
}

/** The n8n error for a run, or for the item in `about`. */
export const runError = (
	context: IExecuteFunctions,
	session: Session,
	error: unknown,
	about: { itemIndex?: number; items?: number } = {},
) => {
	const { door, operation } = session;
	const { action, endpoint } = operation;
	const { itemIndex } = about;
	const item = () =>
		namedBy(context, operation, itemIndex, idempotencyKeyAt(context, session, itemIndex));
	// A user may have pasted the API key into a field.
	const { secrets } = door;
	return nodeError(error, { node: context.getNode(), ...about, item, action, endpoint, secrets });
};

/** Max characters of text in a request that is kept until it's sent. A bigger one is built again, and compared. */
const KEPT_TEXT = 4_000;

/** True if all texts in a value have more than `KEPT_TEXT` characters together. */
function isBig(value: unknown): boolean {
	let length = 0;
	const rest = [value];
	while (rest.length > 0 && length <= KEPT_TEXT) {
		const each = rest.pop();
		if (typeof each === 'string') length += each.length;
		else if (typeof each === 'object' && each !== null) {
			for (const inner of Object.values(each)) rest.push(inner);
		}
	}
	return length > KEPT_TEXT;
}

/** Names in the error of a field that gave nothing the columns that its expression asks for and no item has. */
function withMissing(error: Error, emptyFields: () => EmptyFields): Error {
	if (error instanceof FieldFault && error.empty !== undefined) {
		error.missing = emptyFields().missing(error.empty);
	}
	return error;
}

/** Checked items: those that are ready to be sent, and the faults of the others. */
export class Checked {
	private readonly ready = new Map<number, Prepared>();

	/** Hashes of the requests that were too big to be kept. */
	private readonly fingerprints = new Map<number, string>();

	readonly faults = new Map<number, Error>();

	/** Items by the values that only one of them may have. */
	private readonly owners = new Map<string, number>();

	/** Undefined for a single item, which replaces nothing of another one. */
	private readonly replaced?: Replaced;

	/** n8n copies the node for each caller. */
	private readonly node: INode;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly session: Session,
	) {
		this.node = context.getNode();
		if (session.indexes.length > 1) this.replaced = new Replaced(session.operation);
	}

	/**
	 * Builds and checks items, and claims their unique values. Throws Cancelled.
	 * @param isDone they were sent before n8n's Retry, and are only built so that the ledger can tell if they had other values. A
	 * fault in them doesn't matter.
	 * @returns those that can be sent
	 */
	async check(indexes: number[], isDone = false): Promise<Prepared[]> {
		const { operation } = this.session;
		const signal = this.context.getExecutionCancelSignal();
		const items: Prepared[] = [];
		for (const [turn, index] of indexes.entries()) {
			if (turn % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
			try {
				const item = await this.build(index);
				for (const unique of operation.unique ?? []) this.checkUnique(item, unique);
				this.replaced?.note(item);
				items.push(item);
				if (isDone) continue;
				// A single item is sent at once, so it's kept whatever its size.
				const isKept = indexes.length === 1 || !isBig(item.request.body);
				if (isKept) this.ready.set(index, item);
				else this.fingerprints.set(index, item.fingerprint);
			} catch (error) {
				if (!isDone) this.faults.set(index, error as Error);
			}
			if (signal?.aborted) throw new Cancelled();
		}
		if (isDone) return items;
		for (const [index, fault] of this.replaced?.faults() ?? []) this.refuse(index, fault);
		return items.filter(({ index }) => !this.faults.has(index));
	}

	/** Refuses an item that was checked, because of another one. An item that was sent before stays done. */
	private refuse(index: number, fault: Error): void {
		const isReady = this.ready.delete(index) || this.fingerprints.delete(index);
		if (isReady) this.faults.set(index, fault);
	}

	/** Claims the values of an item that only one item may have. Throws FieldFault if another item has one of them. */
	private checkUnique({ index, request }: Prepared, { field, of, way }: Unique): void {
		const values = of(request);
		const next = way === undefined ? '' : `. ${way}`;
		const fault = (value: string, other: number) =>
			new FieldFault(field, `has ${value}, which ${rowName(other)} has, too${next}`);
		for (const value of values) {
			const owner = this.owners.get(`${field} ${value}`);
			if (owner === undefined) continue;
			if (way !== undefined) this.refuse(owner, fault(value, index));
			throw fault(value, owner);
		}
		for (const value of values) this.owners.set(`${field} ${value}`, index);
	}

	/** Builds and checks the request of one input item. Throws FieldFault for an invalid value, and the errors of expressions. */
	private async build(index: number): Promise<Prepared> {
		const { context, session, node } = this;
		const { operation, constants, writing, isTool } = session;
		const emptyFields = () => (session.emptyFields ??= new EmptyFields(context));
		const items = context.getInputData();
		const group = session.groups?.get(index) ?? [index];
		try {
			const entered = parametersOf(context, constants, index);
			const parameter = isTool ? givenByModel(operation.fields ?? [], entered) : entered;
			const form = formOf(operation, parameter, {
				timezone: context.getTimezone(),
				version: node.typeVersion,
				item: items[index].json,
				items: () => group.map((each) => ({ index: each, json: items[each].json })),
				raw: node.parameters,
				gaveNothing: (field, raw) => emptyFields().note(index, field, raw),
			});
			if (operation.complete) {
				form.values = await operation.complete(form.values, filesOf(context, index));
			}
			const keys = writing?.keys;
			const key = keys && keyFrom(keyIn(parameter), KEY_FIELD);
			const request = buildRequest(form);
			session.read.add(index);
			return {
				index,
				parameter,
				form,
				key,
				keyHash: key && keys?.hash(key),
				request,
				fingerprint: writing ? requestFingerprint(request, operation) : '',
			};
		} catch (error) {
			throw withMissing(error as Error, emptyFields);
		}
	}

	/** Returns a checked item, and no longer keeps it. Throws its fault, or FieldFault if its values differ from the check. */
	async take(index: number): Promise<Prepared> {
		const fault = this.faults.get(index);
		if (fault) throw fault;
		const ready = this.ready.get(index);
		this.ready.delete(index);
		if (ready) return ready;
		const item = await this.build(index);
		const fingerprint = this.fingerprints.get(index);
		// A read isn't checked ahead, so it has no hash.
		if (fingerprint === undefined || fingerprint === item.fingerprint) return item;
		throw new FieldFault(
			'An expression',
			'gives another value each time, so this item is not what was checked. Set the value in an Edit Fields node before this one',
		);
	}

	/** The items that are sent after this one, as far as they are kept. */
	after(index: number, count: number): Prepared[] {
		const items: Prepared[] = [];
		for (let next = index + 1; next <= index + count; next++) {
			const item = this.ready.get(next);
			if (item) items.push(item);
		}
		return items;
	}

	error(): Error {
		const { node } = this;
		const items = this.session.indexes.length;
		const [[first, fault]] = this.faults;
		const { door, operation } = this.session;
		const { action, endpoint } = operation;
		const { secrets } = door;
		if (items === 1) {
			return runError(this.context, this.session, fault, { itemIndex: first, items });
		}
		const message = faultsText(this.faults, items, {
			nameOf: (index) => nameIn(this.context, this.session, index),
			messageOf: (error) => nodeError(error, { node, secrets }).message,
		});
		const description = `${action}, ${endpoint.route}`;
		return new NodeOperationError(withoutParameters(node), message, {
			// n8n ends the message with the item, as if the error were about that item alone.
			itemIndex: this.faults.size === 1 ? first : undefined,
			description,
		});
	}
}

/** Max parallel requests that ask the API for the numbers of items. */
const PARALLEL = 5;

/**
 * Adds up the numbers of each item for the Safety Limits. A sum below 0 counts as 0, so that no item makes room for others.
 * @param measures false if only the count of items is limited: all sums are 0 then
 * @param faults takes the errors of items that can't be measured. Without it, the first one is thrown.
 */
export async function measured(
	context: IExecuteFunctions,
	session: Session,
	items: Prepared[],
	{ measures, faults }: { measures: boolean; faults?: Map<number, Error> },
): Promise<Map<number, bigint>> {
	const sums = new Map(items.map(({ index }) => [index, 0n]));
	const { measure } = session.operation;
	if (!measure || !measures) return sums;
	await inPool(items.length, PARALLEL, async (turn, runSignal) => {
		const item = items[turn];
		const ask = async () => {
			const api = apiFor(context, session, item, { runSignal });
			const sum = sumOf(await measure.of(item.request, api));
			sums.set(item.index, sum < 0n ? 0n : sum);
		};
		await ask().catch((error: unknown) => {
			const isEnd = error instanceof Cancelled || error instanceof Stopped;
			if (isEnd || !faults) throw error;
			faults.set(item.index, error as Error);
			sums.delete(item.index);
		});
	});
	return sums;
}
