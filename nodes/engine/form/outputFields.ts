// Output Fields: cuts rows to the fields that the user wants.
import { FieldFault } from '../base/apiRequest';
import { isRecord } from '../base/data';

/** A tree of names such as `id, usage.total_tokens`. A leaf keeps the whole value. */
export class OutputFields {
	private readonly below = new Map<string, OutputFields>();

	/** Any row had this field. */
	private seen = false;

	/**
	 * @param given comma-separated names, or an array of names
	 * @returns undefined without names: rows stay whole
	 * @throws FieldFault for an invalid name
	 */
	static from(given: unknown): OutputFields | undefined {
		const names = (Array.isArray(given) ? given : String(given ?? '').split(','))
			.map((name) => String(name).trim())
			.filter((name) => name !== '');
		const wrong = names.find((name) => name.split('.').includes(''));
		if (wrong !== undefined) {
			throw new FieldFault(
				'Options: Output Fields',
				`must be names such as id or usage.total_tokens, separated by commas ("${wrong}" is none)`,
			);
		}
		const fields = new OutputFields();
		for (const name of names) fields.add(name.split('.'));
		return names.length > 0 ? fields : undefined;
	}

	/** Returns a row with these fields only, in the order that the user gave. */
	readonly cut = (row: unknown): unknown => (isRecord(row) ? this.of(row) : row);

	/** Names that no row had; empty without rows. */
	get unseen(): string[] {
		return this.seen ? this.unseenBelow('') : [];
	}

	private add([name, ...rest]: string[]): void {
		const known = this.below.get(name);
		const isWhole = known !== undefined && known.below.size === 0;
		if (isWhole) return;
		const wanted = known ?? new OutputFields();
		this.below.set(name, wanted);
		if (rest.length > 0) wanted.add(rest);
		else wanted.below.clear();
	}

	/** Returns the wanted part of a value, undefined for a value without one. */
	private of(value: unknown): unknown {
		this.seen = true;
		if (this.below.size === 0) return value;
		if (Array.isArray(value)) {
			return value.map((each) => this.of(each)).filter((each) => each !== undefined);
		}
		if (!isRecord(value)) return undefined;
		const entries = [...this.below].map(([name, wanted]) => [
			name,
			Object.hasOwn(value, name) ? wanted.of(value[name]) : undefined,
		]);
		return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
	}

	private unseenBelow(prefix: string): string[] {
		return [...this.below].flatMap(([name, wanted]) =>
			wanted.seen ? wanted.unseenBelow(`${prefix}${name}.`) : [prefix + name],
		);
	}
}
