// Idempotency Key: a node sends each key once, across items, executions and crashes. The API has no such keys, so the node records
// them before sending, with a mark of doubt. Success replaces the mark with a hash of the request, a definite refusal removes both.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { FieldFault } from '../base/apiRequest';
import { hashOf, short } from '../base/data';
import { KEY_FIELD } from '../base/itemName';
import type { Door } from '../client/door';
import type { Operation } from '../form/operation';
import { numberFrom } from '../form/options';
import { windowField } from '../form/safety';
import { KeyStore, type KnownTexts } from './keyStore';

/** Max keys that are recorded before their turn. After a crash they are in doubt, too. */
const AHEAD = 25;

/** Texts in the store for each key: the key, its doubt or the hash of its request, and two of its run (claim.ts). */
const TEXTS = 4;

export interface Keyed {
	key: string;
	fingerprint: string;
	/** The ledger knows that an earlier try may have sent the item. */
	isInDoubt?: boolean;
}

/** Output of an item whose key isn't sent. */
export interface Skip {
	json: IDataObject;
	/** The key, if it's in doubt. */
	doubt?: string;
	/** The same request was sent, so there's nothing to do. */
	isDone: boolean;
}

interface Texts {
	key: string;
	doubt: string;
	fingerprint: string;
}

/** A key in use, and the function that ends its use. */
interface Use extends Texts {
	free: () => void;
}

interface KeyedRun {
	operation: Operation;
	door: Door;
	options: IDataObject;
	indexes: number[];
}

export class Idempotency {
	private readonly store: KeyStore;

	private readonly releaseKey: string;

	/** Keys of a dry run, which records none. */
	private readonly keysOfDryRun = new Set<string>();

	/** Keys that were recorded before their turn. */
	private readonly ahead = new Map<string, Use>();

	/** Keys that went through. They are settled with the next record, when an item waits for a key, or at the end of the run. */
	private toSettle: Use[] = [];

	/** Removal of the doubts of settled keys, which no request waits for. */
	private removal: Promise<void> = Promise.resolve();

	/** The keys that are being recorded before their turn, while a request is under way. */
	private recording?: Promise<void>;

	/** Milliseconds of the last record of keys, and of the last request that went through. */
	private took = { record: 0, send: Infinity };

	private constructor(
		private readonly context: IExecuteFunctions,
		readonly place: string,
		private readonly isDry: boolean,
		options: IDataObject,
	) {
		this.store = storeOf(context, options);
		this.releaseKey = normal(options.releaseKey ?? '');
	}

	/**
	 * Keys of another credential, host or route are separate. A renewed API key is no other credential, because it must not
	 * forget what was sent.
	 * @throws FieldFault for more items than Keys to Remember. They would push their own first keys out of the store, and the
	 * same items would all be sent again.
	 */
	static of(
		context: IExecuteFunctions,
		{ operation, door: { host, connection }, options, indexes }: KeyedRun,
	): Idempotency {
		const credential = context.getNode().credentials?.[operation.endpoint.api.credential.type]?.id;
		const window = numberFrom('Options', windowField, options);
		const { length: size } = indexes;
		if (size > window) {
			const fault = `must be at least ${size} here, because there are ${size} items (it's ${window}). Otherwise the first keys are forgotten before the last ones are sent`;
			throw new FieldFault(`Options: ${windowField.displayName}`, fault);
		}
		const place = `${credential} ${host} ${operation.endpoint.route}`;
		return new Idempotency(context, place, connection.isDry, options);
	}

	/**
	 * Calls `send`, unless the key was sent before.
	 * @param next items that come after it, whose keys are recorded in the same call
	 * @param mayBeApplied true if the request may have gone through although `send` has thrown
	 * @returns the result of `send`, or why it was skipped
	 */
	async once(
		item: Keyed,
		next: (count: number) => Keyed[],
		send: () => Promise<INodeExecutionData[]>,
		mayBeApplied: () => boolean,
	): Promise<INodeExecutionData[] | Skip> {
		const { key } = item;
		if (this.isDry) {
			if (this.keysOfDryRun.has(key)) return skip(key, SENT);
			this.keysOfDryRun.add(key);
			return await send();
		}
		const texts = this.textsOf(item);
		const { free, known } = await this.useKey(texts, next);
		let isLeftToSettle = false;
		try {
			const why = await this.refusal(item, texts, known);
			if (why) return skip(key, why);
			this.recordNext(next);
			const began = performance.now();
			const items = await send().catch(async (error: unknown) => {
				// After any other error, the key stays in doubt. So does one that the store fails to forget: the item has its own
				// error.
				if (!mayBeApplied()) await this.store.removeOnce([texts.doubt, texts.key]).catch(this.warn);
				throw error;
			});
			this.took.send = performance.now() - began;
			this.toSettle.push({ ...texts, free });
			isLeftToSettle = true;
			// Another item waits for this key. If that item is the last one, nothing else settles the key.
			if (this.store.isWanted(texts.key)) await this.settle();
			return items;
		} finally {
			if (!isLeftToSettle) free();
		}
	}

	/** Returns the keys that were sent or may have been, without the one in Release Key, which is sent again. */
	async known(items: Keyed[]): Promise<Set<string>> {
		if (this.isDry) return new Set();
		// A look that is cut off leaves its texts. Because the doubt is among them, the key doesn't pass for one that was sent.
		const texts = items.flatMap(({ key }) => [this.text('key', key), this.text('doubt', key)]);
		const known = await this.store.look(texts);
		const keys = items.map(({ key }) => key).filter((key) => known.has(this.text('key', key)));
		return new Set(keys.filter((key) => key !== this.releaseKey));
	}

	/** True if the key of an item was recorded, which is done before its request. */
	async isRecorded({ key }: Keyed): Promise<boolean> {
		const text = this.text('key', key);
		const known = await this.store.look([text]);
		return known.has(text) && known.isCutOff !== true;
	}

	/** Records keys of items that were sent without them. */
	async addSent(items: Keyed[]): Promise<void> {
		if (this.isDry || items.length === 0) return;
		const texts = items.map((item) => this.textsOf(item));
		await this.store.add(
			texts.map(({ key }) => key),
			texts.map(({ fingerprint }) => fingerprint),
		);
	}

	hash(key: string): string {
		return hashOf(this.text('key', key)).slice(0, 16);
	}

	/** Settles what went through, and gives back the keys whose turn never came. */
	async end(): Promise<void> {
		await this.settleAll();
		await this.store.flush().catch(this.warn);
	}

	/**
	 * Records the key before its request, with the keys that come next. Waits for other items that use it.
	 * @returns the end of its use, and what was recorded before it: undefined for a key that was recorded ahead
	 * @throws FieldFault if n8n's store fails, Cancelled
	 */
	private async useKey(
		texts: Texts,
		next: (count: number) => Keyed[],
	): Promise<{ free: () => void; known?: KnownTexts }> {
		// The key may be among those that are being recorded now.
		if (!this.ahead.has(texts.key)) await this.recording;
		const held = this.ahead.get(texts.key);
		if (held) {
			this.ahead.delete(texts.key);
			return { free: held.free };
		}
		const { store } = this;
		// Two executions must not wait for each other, so one that waits gives up the keys that it doesn't need now.
		const isTaken = store.isInUse(texts.key);
		const [free] = await Promise.all([
			store.use(texts.key, this.context.getExecutionCancelSignal()),
			isTaken ? this.settleAll() : undefined,
		]);
		const known = await this.add([{ ...texts, free }, ...this.reserve(next(this.pace))], 1).catch(
			(error: unknown) => {
				throw new FieldFault(KEY_FIELD, `couldn't be recorded by n8n: ${(error as Error).message}`);
			},
		);
		return { free, known };
	}

	/**
	 * Records keys of the next items while a request is under way, once the keys that were recorded ahead would be used up before
	 * a call of the store ends. If it fails, the keys are recorded at their own turn.
	 */
	private recordNext(next: (count: number) => Keyed[]): void {
		const pace = Math.max(1, this.pace);
		if (this.recording || this.ahead.size >= Math.min(pace, AHEAD / 2)) return;
		// Enough for the requests during this call and the next one. `reserve` leaves out what is recorded already.
		const more = this.reserve(next(Math.min(AHEAD, this.ahead.size + 2 * pace)));
		if (more.length === 0) return;
		this.recording = this.add(more, 0)
			.then(() => {}, this.warn)
			.finally(() => (this.recording = undefined));
	}

	/** Number of requests in the time of one record of keys. 0 until the first one has gone through. */
	private get pace(): number {
		return Math.min(AHEAD, Math.ceil(this.took.record / Math.max(1, this.took.send)));
	}

	/** Begins to use the keys that no item uses. */
	private reserve(items: Keyed[]): Use[] {
		return items.flatMap((item) => {
			const texts = this.textsOf(item);
			const { store } = this;
			return store.isInUse(texts.key) ? [] : [{ ...texts, free: store.begin(texts.key) }];
		});
	}

	/**
	 * Records keys, and in the same call that others went through (`toSettle`). If it fails, the use of the keys ends.
	 * @param due number of keys at the beginning whose turn it is. The others are held until their turn.
	 * @returns what was recorded before
	 */
	private async add(all: Use[], due: number): Promise<KnownTexts> {
		const { store } = this;
		const done = this.toSettle.splice(0);
		const began = performance.now();
		const keys = all.map(({ key }) => key);
		const about = [...all.map(({ doubt }) => doubt), ...done.map(({ fingerprint }) => fingerprint)];
		const known = await store.add(keys, about).catch((error: unknown) => {
			for (const { free } of all) free();
			this.toSettle.unshift(...done);
			throw error;
		});
		this.took.record = performance.now() - began;
		const removal = this.removeDoubtsAndFree(done);
		this.removal = Promise.all([this.removal, removal]).then(() => {});
		for (const each of all.slice(due)) this.holdAhead(each, known);
		// For a key that was settled before, this call has recorded a new doubt, which has to go.
		const notInDoubt = all.filter(({ key, doubt }) => known.has(key) && !known.has(doubt));
		if (notInDoubt.length > 0) {
			await store.remove(notInDoubt.map(({ doubt }) => doubt)).catch(this.warn);
		}
		return known;
	}

	/** Holds a new key until its turn. A known key is recorded at its turn, which tells what is known. */
	private holdAhead(each: Use, known: KnownTexts): void {
		if (known.has(each.key)) each.free();
		else this.ahead.set(each.key, each);
	}

	/**
	 * The reason not to send a key. Undefined for a new one, and for one that is released from its doubt, which is possible once.
	 * `known` is undefined for a key that was recorded ahead, since that was new.
	 */
	private async refusal(
		{ key, isInDoubt }: Keyed,
		texts: Texts,
		known: KnownTexts | undefined,
	): Promise<string | undefined> {
		const { store } = this;
		const isKnown = known?.has(texts.key) ?? false;
		// The store may have dropped the key of an item in doubt.
		if (!isKnown && !isInDoubt) return undefined;
		if (isKnown && !known?.has(texts.doubt)) {
			const { fingerprint } = texts;
			const same = await store.look([fingerprint]).catch(() => undefined);
			return same?.has(fingerprint) === false ? SENT_OTHERWISE : SENT;
		}
		if (key !== this.releaseKey) return IN_DOUBT;
		const released = await store.add([this.text('released', key)]).catch(() => undefined);
		if (!released) return IN_DOUBT;
		return released.size > 0 ? RELEASED : undefined;
	}

	private async settleAll(): Promise<void> {
		await this.recording;
		await Promise.all([this.settle(), this.giveBack(), this.removal]);
	}

	/** Records that keys went through, and takes them out of doubt. If that fails, they stay in doubt. */
	private async settle(): Promise<void> {
		if (this.toSettle.length === 0) return;
		await this.add([], 0).catch((error: unknown) => {
			this.warn(error);
			for (const { free } of this.toSettle.splice(0)) free();
		});
		await this.removal;
	}

	private async removeDoubtsAndFree(done: Use[]): Promise<void> {
		if (done.length === 0) return;
		await this.store.remove(done.map(({ doubt }) => doubt)).catch(this.warn);
		for (const { free } of done) free();
	}

	/** Removes the keys whose turn hasn't come. Only once, because they must stay if they're recorded again. */
	private async giveBack(): Promise<void> {
		const ahead = [...this.ahead.values()];
		if (ahead.length === 0) return;
		this.ahead.clear();
		const texts = ahead.flatMap(({ doubt, key }) => [doubt, key]);
		await this.store.removeOnce(texts).catch(this.warn);
		for (const { free } of ahead) free();
	}

	private readonly warn = (error: unknown): void => {
		this.context.logger.warn(`An Idempotency Key stays in doubt: ${(error as Error).message}`);
	};

	private textsOf({ key, fingerprint }: Keyed): Texts {
		return {
			key: this.text('key', key),
			doubt: this.text('doubt', key),
			fingerprint: `${this.text('print', key)} ${fingerprint}`,
		};
	}

	private text(kind: 'key' | 'doubt' | 'print' | 'released', key: string): string {
		return `${kind} ${this.place} ${key}`;
	}
}

const SENT = "This key was sent before, so it wasn't sent again.";

const SENT_OTHERWISE =
	"This key was sent before with other values, so it wasn't sent again. If these values are right, use another key.";

const IN_DOUBT =
	"This key may have gone through before, so it wasn't sent again. Check whether it did. If it didn't, enter the key in the option Release Key and run the item again.";

const RELEASED =
	"This key may have gone through before, so it wasn't sent again. It was released once already. Check whether it went through. If it didn't, use another key.";

function skip(key: string, reason: string): Skip {
	const inDoubt = reason === IN_DOUBT || reason === RELEASED;
	const json = { skipped: true, idempotencyKey: key, inDoubt, reason };
	return { json, isDone: reason === SENT, ...(inDoubt && { doubt: key }) };
}

/** Texts that look the same are the same key. */
const normal = (value: unknown): string => String(value).trim().normalize('NFC');

/** Reads a value as a key. Throws FieldFault with the name of the `field` for an invalid one. */
export function keyFrom(value: unknown, field: string): string {
	const isText = typeof value === 'string' || value === null || value === undefined;
	if (!isText && !Number.isSafeInteger(value)) {
		throw new FieldFault(field, `must be text or a whole number (got ${JSON.stringify(value)})`);
	}
	const key = normal(value ?? '');
	if (key === '') throw new FieldFault(field, 'must not be empty');
	// The text of an object would be the same key for all items.
	if (key.includes(String({}))) {
		throw new FieldFault(field, `must not have an object in it (got "${short(key)}")`);
	}
	return key;
}

/** The record of a node in n8n's store, with room for claims, too, if Keys to Remember is low. Throws FieldFault for that. */
export function storeOf(context: IExecuteFunctions, options: IDataObject): KeyStore {
	const window = numberFrom('Options', windowField, options);
	return new KeyStore(context, TEXTS * Math.max(window, Number(windowField.default)));
}
