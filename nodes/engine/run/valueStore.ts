// Values that are remembered under a key, in n8n's own store, which only tells if a text is in its set (keyStore.ts). So a
// value is kept as its bits: a text for each bit that is 1. To read it, all bits are looked up in one call.
//
// The record is that of the workflow, in which no keys and claims push values out.
import { randomInt } from 'node:crypto';
import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { hashOf } from '../base/data';
import type { Doubt, Remembered, Values } from '../client/steps';
import { KeyStore, type KnownTexts } from './keyStore';

/** Max texts in the record. Beyond it n8n would drop the oldest ones, so nothing more is remembered. */
const WINDOW = 100_000;

/** Bytes of a fingerprint. */
const FINGERPRINT = 6;

/** Bytes that are read at first: the fingerprint, the length of the value, and most values. */
const FIRST = FINGERPRINT + 1 + 24;

const LONGEST = 255;

/** Bits of the code of a doubt. */
const CODE = 16;

/** Places of all bits of some bytes. */
const places = (from: number, to: number) =>
	Array.from({ length: (to - from) * 8 }, (_each, index) => from * 8 + index);

/** Places of the bits that are 1. */
const onesOf = (bytes: Uint8Array) =>
	places(0, bytes.length).filter((place) => (bytes[place >> 3] >> (place & 7)) & 1);

const fingerprintOf = (content: string) =>
	Buffer.from(hashOf(content), 'base64url').subarray(0, FINGERPRINT);

/** Bytes of what is remembered: the fingerprint, the length of the value, the value. */
function bytesOf(fingerprint: Uint8Array, value: string): Uint8Array {
	const text = Buffer.from(value);
	if (text.length > LONGEST) throw new Error(`It's longer than ${LONGEST} characters`);
	return Buffer.concat([fingerprint, Buffer.from([text.length]), text]);
}

const codeOf = (bits: number[]) =>
	bits
		.reduce((sum, bit) => sum + 2 ** bit, 0)
		.toString(16)
		.padStart(CODE / 4, '0');

function randomBits(): number[] {
	const number = randomInt(1, 2 ** CODE);
	return [...new Array(CODE).keys()].filter((bit) => (number >> bit) & 1);
}

interface Look {
	texts: string[];
	done: (known: KnownTexts) => void;
	failed: (error: unknown) => void;
}

export class ValueStore implements Values {
	private readonly store: KeyStore;

	/** Values of a dry run, which keeps nothing in the store. */
	private readonly planned = new Map<string, Remembered & { content: string }>();

	private waiting: Look[] = [];

	private isLooking = false;

	/** @param place what the keys belong to, such as the host of the API */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly place: string,
		private readonly isDry: boolean,
	) {
		this.store = new KeyStore(context, WINDOW, 'workflow');
	}

	async isSame(key: string, content: string): Promise<boolean> {
		const planned = this.planned.get(key);
		if (planned) return planned.content === content;
		const fingerprint = fingerprintOf(content);
		const bits = places(0, FINGERPRINT);
		const [sum, sending] = [this.sumOf(key, fingerprint), this.sending(key)];
		const texts = [...bits.map((bit) => this.bit(key, bit)), sum, sending];
		const known = await this.look(texts);
		if (known.has(sending) || !known.has(sum)) return false;
		if (texts.some((text) => known.cutOff.has(text))) return false;
		const ones = bits.filter((bit) => known.has(this.bit(key, bit)));
		return ones.join() === onesOf(fingerprint).join();
	}

	async take(key: string): Promise<Remembered | Doubt | undefined> {
		const planned = this.planned.get(key);
		if (planned) return planned;
		const sending = this.sending(key);
		let isTaken = (await this.look([sending])).has(sending);
		// The code is recorded before anything is sent, so that each doubt has one of its own.
		if (!isTaken && !this.isDry) {
			const code = randomBits().map((bit) => this.codeBit(key, bit));
			isTaken = (await this.store.add([sending], code)).has(sending);
		}
		const remembered = isTaken ? undefined : await this.read(key);
		return isTaken || remembered === 'damaged'
			? { doubt: codeOf(await this.codeBits(key)) }
			: remembered;
	}

	async keep(key: string, content: string, value: string, before?: Remembered): Promise<void> {
		const fingerprint = fingerprintOf(content);
		if (this.isDry) {
			this.planned.set(key, { value, fingerprint, content });
			return;
		}
		const { store } = this;
		if (before) await store.removeOnce(this.textsOf(key, before.fingerprint, before.value));
		await store.add(this.textsOf(key, fingerprint, value));
		await this.giveBack(key);
	}

	async giveBack(key: string): Promise<void> {
		if (this.isDry) return;
		// Not `remove`, because the next item with the key records it anew.
		await this.store.removeOnce([this.sending(key), ...this.codeTexts(key)]);
		// What this leaves goes with the next removal.
		await this.store.flush().catch(() => {});
	}

	/** The checksums of a damaged value may stay, because they prove nothing without its bits. */
	async forget(key: string): Promise<void> {
		if (this.isDry) return;
		const { store } = this;
		const before = await this.read(key);
		const old = await this.codeBits(key);
		let code = randomBits();
		while (codeOf(code) === codeOf(old)) code = randomBits();
		// The new code comes first. If n8n ends now, the old code may count once more, because nothing was sent since it was given.
		await store.add(code.map((bit) => this.codeBit(key, bit)));
		const all = places(0, FINGERPRINT + 1 + LONGEST).map((bit) => this.bit(key, bit));
		if (before !== undefined && before !== 'damaged')
			all.push(...this.textsOf(key, before.fingerprint, before.value));
		const codes = this.codeTexts(key).filter((_text, bit) => !code.includes(bit));
		await store.clear([...new Set([...all, ...codes])]);
	}

	async hasRoom(value: string): Promise<boolean> {
		const { helpers } = this.context;
		const count = await helpers.getProcessedDataCount('workflow', { mode: 'entries' });
		return count + 8 * (FINGERPRINT + 1 + value.length) < WINDOW;
	}

	/** 'damaged' for what isn't whole: a look was cut off, or the store has failed in between. */
	private async read(key: string): Promise<Remembered | 'damaged' | undefined> {
		const bytes = new Uint8Array(FINGERPRINT + 1 + LONGEST);
		let isCutOff = false;
		const readPart = async (from: number, to: number) => {
			const bits = places(from, to);
			const known = await this.look(bits.map((bit) => this.bit(key, bit)));
			for (const bit of bits) {
				const text = this.bit(key, bit);
				if (known.has(text)) bytes[bit >> 3] |= 1 << (bit & 7);
				if (known.cutOff.has(text)) isCutOff = true;
			}
		};
		await readPart(0, FIRST);
		const end = FINGERPRINT + 1 + bytes[FINGERPRINT];
		if (end > FIRST) await readPart(FIRST, end);
		if (isCutOff) return 'damaged';
		if (bytes.every((byte) => byte === 0)) return undefined;
		const fingerprint = bytes.slice(0, FINGERPRINT);
		const value = Buffer.from(bytes.slice(FINGERPRINT + 1, end)).toString();
		const whole = this.wholeOf(key, fingerprint, value);
		const known = await this.look([whole]);
		return known.has(whole) && !known.cutOff.has(whole) ? { fingerprint, value } : 'damaged';
	}

	private async codeBits(key: string): Promise<number[]> {
		const texts = this.codeTexts(key);
		const known = await this.look(texts);
		return [...texts.keys()].filter((bit) => known.has(texts[bit]));
	}

	private codeTexts(key: string): string[] {
		return [...new Array(CODE).keys()].map((bit) => this.codeBit(key, bit));
	}

	/** Looks up texts. Those of several keys share a call. */
	private async look(texts: string[]): Promise<KnownTexts> {
		return await new Promise((done, failed) => {
			this.waiting.push({ texts, done, failed });
			if (!this.isLooking) void this.lookAll();
		});
	}

	/** An error goes to those that wait, so this never throws. */
	private async lookAll(): Promise<void> {
		this.isLooking = true;
		while (this.waiting.length > 0) {
			await sleep(0);
			const all = this.waiting;
			this.waiting = [];
			try {
				const known = await this.store.look([...new Set(all.flatMap(({ texts }) => texts))]);
				for (const { done } of all) done(known);
			} catch (error) {
				for (const { failed } of all) failed(error);
			}
		}
		this.isLooking = false;
	}

	private textsOf(key: string, fingerprint: Uint8Array, value: string): string[] {
		return [
			...onesOf(bytesOf(fingerprint, value)).map((bit) => this.bit(key, bit)),
			this.sumOf(key, fingerprint),
			this.wholeOf(key, fingerprint, value),
		];
	}

	private bit(key: string, place: number): string {
		return `bit ${place} ${this.place} ${key}`;
	}

	private codeBit(key: string, place: number): string {
		return `code ${place} ${this.place} ${key}`;
	}

	/** Recorded while something is sent for a key. Stays if nothing tells what came of that. */
	private sending(key: string): string {
		return `sending ${this.place} ${key}`;
	}

	private sumOf(key: string, fingerprint: Uint8Array): string {
		return `sum ${Buffer.from(fingerprint).toString('hex')} ${this.place} ${key}`;
	}

	private wholeOf(key: string, fingerprint: Uint8Array, value: string): string {
		return `whole ${Buffer.from(fingerprint).toString('hex')} ${value} ${this.place} ${key}`;
	}
}
