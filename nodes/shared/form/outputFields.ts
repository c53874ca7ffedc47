// The fields of a row that the user wants, and nothing else of it.
import { FieldFault, isRecord } from '../operation';

/** A name and the names below it; one without any stands for all that is there. */
class Wanted {
	readonly below = new Map<string, Wanted>();

	/** Whether any row had it. */
	seen = false;

	add([name, ...rest]: string[]): void {
		const known = this.below.get(name);
		const isWhole = known !== undefined && known.below.size === 0;
		if (isWhole) return;
		const wanted = known ?? new Wanted();
		this.below.set(name, wanted);
		if (rest.length > 0) wanted.add(rest);
		else wanted.below.clear();
	}

	/** What is wanted of a value, undefined if it has nothing of it. */
	of(value: unknown): unknown {
		this.seen = true;
		if (this.below.size === 0) return value;
		if (Array.isArray(value)) {
			return value.map((each) => this.of(each)).filter((each) => each !== undefined);
		}
		return isRecord(value) ? this.ofRecord(value) : undefined;
	}

	private ofRecord(record: Record<string, unknown>): object {
		const entries: Array<[string, unknown]> = [];
		for (const [name, wanted] of this.below) {
			const value = Object.hasOwn(record, name) ? wanted.of(record[name]) : undefined;
			if (value !== undefined) entries.push([name, value]);
		}
		return Object.fromEntries(entries);
	}

	/** The names that no row had. */
	unseen(prefix = ''): string[] {
		return [...this.below].flatMap(([name, wanted]) =>
			wanted.seen ? wanted.unseen(`${prefix}${name}.`) : [prefix + name],
		);
	}
}

/** The fields that a user named, such as `id, usage.total_tokens`. */
export class OutputFields {
	private readonly wanted = new Wanted();

	private constructor(names: string[]) {
		for (const name of names) this.wanted.add(name.split('.'));
	}

	/**
	 * @param given names with commas between them, or a list of names
	 * @returns undefined where there are none: then rows stay whole
	 * @throws FieldFault for what is no name
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
		return names.length > 0 ? new OutputFields(names) : undefined;
	}

	/** The row with these fields only, in the order that the user gave; what it has not is left out. */
	readonly cut = (row: unknown): unknown => (isRecord(row) ? this.wanted.of(row) : row);

	/** The names that none of the rows had, if there were any rows. */
	get unseen(): string[] {
		return this.wanted.seen ? this.wanted.unseen() : [];
	}
}
