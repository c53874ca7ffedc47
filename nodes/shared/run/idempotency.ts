// Idempotency Key: a node sends each key once, across items, executions and crashes. The API has no such
// keys, so the node records them before sending, with a mark of doubt. Success removes the mark, a definite
// refusal removes both. After a crash the key is in doubt, and isn't sent again by itself.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Door } from '../client/door';
import { numberFrom } from '../form/options';
import { keyValue, takesKey, windowField } from '../form/safety';
import { FieldFault, recordOf, type Operation, type Steps } from '../operation';
import { KeyStore } from './keyStore';
import { firstOf } from './stopped';

export const KEY_FIELD = 'Idempotency Key';

/** The keys of one execution. */
export class Idempotency {
	private readonly store: KeyStore;

	private readonly releaseKey: string;

	private skipped = 0;

	private readonly doubtful: string[] = [];

	/** A dry run doesn't record its keys. */
	private readonly keysOfDryRun = new Set<string>();

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: string,
		private readonly isDry: boolean,
	) {
		const options = recordOf(context.getNodeParameter('options', 0, {}));
		this.store = new KeyStore(context, windowOf(context));
		this.releaseKey = normal(options.releaseKey ?? '');
	}

	/** Returns undefined if the form has no key. Keys of another host or route are separate. */
	static of(
		context: IExecuteFunctions,
		operation: Operation,
		{ connection: { url, isDry } }: Door,
	): Idempotency | undefined {
		if (!takesKey(operation)) return undefined;
		const raw = keyValue(operation, (name) =>
			context.getNodeParameter(name, 0, '', { rawExpressions: true }),
		);
		if (raw === '' || raw === null || raw === undefined) return undefined;
		return new Idempotency(context, `${new URL(url).host} ${operation.route}`, isDry);
	}

	/**
	 * Calls `send`, unless the key was sent before.
	 * @param failed returns the outcome of the request after `send` has thrown
	 * @returns the result of `send`, or one item that says why it was skipped
	 */
	async once(
		key: string,
		index: number,
		send: () => Promise<INodeExecutionData[]>,
		failed: () => Steps['writes'],
	): Promise<INodeExecutionData[]> {
		const skip = (why: string, inDoubt: boolean) => [this.skip(key, index, why, inDoubt)];
		if (this.isDry) {
			if (this.keysOfDryRun.has(key)) return skip(SENT, false);
			this.keysOfDryRun.add(key);
			return await send();
		}
		const texts = { key: this.text('key', key), doubt: this.text('doubt', key) };
		const free = await this.store.use(texts.key, this.context.getExecutionCancelSignal());
		try {
			const known = await this.add(texts.key, texts.doubt);
			if (known.has(texts.key)) {
				if (!known.has(texts.doubt)) {
					await this.store.remove([texts.doubt]);
					return skip(SENT, false);
				}
				if (key !== this.releaseKey) return skip(IN_DOUBT, true);
				const released = await this.add(this.text('released', key));
				if (released.size > 0) return skip(RELEASED, true);
			}
			const items = await send().catch(async (error: unknown) => {
				await this.settle(texts, failed());
				throw error;
			});
			await this.settle(texts, 'applied');
			return items;
		} finally {
			free();
		}
	}

	hints(): string[] {
		const { skipped, doubtful } = this;
		if (skipped === 0) return [];
		const items = skipped === 1 ? '1 item was' : `${skipped} items were`;
		const hint = `${items} skipped, because the Idempotency Key was sent before.`;
		if (doubtful.length === 0) return [hint];
		return [`${hint} In doubt, so check them: ${firstOf(doubtful)}.`];
	}

	private text(kind: 'key' | 'doubt' | 'released', key: string): string {
		return `${kind} ${this.place} ${key}`;
	}

	/** @throws FieldFault if n8n can't record the key. Nothing was sent then. */
	private async add(key: string, ...about: string[]): Promise<Set<string>> {
		return await this.store.add(key, ...about).catch((error: unknown) => {
			throw new FieldFault(KEY_FIELD, `couldn't be recorded by n8n: ${(error as Error).message}`);
		});
	}

	/** An error of the store must not fail an item that was sent. Its key stays in doubt. */
	private async settle(
		{ key, doubt }: { key: string; doubt: string },
		outcome: Steps['writes'],
	): Promise<void> {
		if (outcome === 'inDoubt') return;
		const { store } = this;
		const settled = outcome === 'applied' ? store.remove([doubt]) : store.release([doubt, key]);
		await settled.catch((error: unknown) => {
			this.context.logger.warn(`An Idempotency Key stays in doubt: ${(error as Error).message}`);
		});
	}

	private skip(key: string, index: number, why: string, inDoubt: boolean): INodeExecutionData {
		this.skipped++;
		if (inDoubt) this.doubtful.push(key);
		const json: IDataObject = { skipped: true, idempotencyKey: key, inDoubt, reason: why };
		return { json, pairedItem: { item: index } };
	}
}

const SENT = "This key was sent before, so it wasn't sent again.";

const IN_DOUBT =
	"This key may have gone through before, so it wasn't sent again. Check whether it did. If it didn't, enter the key in the option Release Key and run the item again.";

const RELEASED =
	"This key may have gone through before, so it wasn't sent again. It was released once already. Check whether it went through. If it didn't, use another key.";

/** Normalizes a key, so that texts that look the same are the same key. */
const normal = (value: unknown): string => String(value).trim().normalize('NFC');

/**
 * Reads a value as a key.
 * @param field name for errors
 * @throws FieldFault for an invalid key
 */
export function keyFrom(value: unknown, field: string): string {
	if (typeof value === 'object' && value !== null) {
		throw new FieldFault(field, 'must be text or a number');
	}
	const key = normal(value ?? '');
	if (key === '') throw new FieldFault(field, 'must not be empty');
	return key;
}

/**
 * Reads how many keys a node remembers.
 * @throws FieldFault for an invalid number
 */
export function windowOf(context: IExecuteFunctions): number {
	const { keysToRemember } = recordOf(context.getNodeParameter('options', 0, {}));
	return numberFrom('Options', windowField, keysToRemember);
}
