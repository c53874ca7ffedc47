// Fields that gave nothing for all items of a run, for its hints, and the columns that their expressions look for in vain.
import type { IExecuteFunctions } from 'n8n-workflow';

import { short } from '../base/data';
import {
	columnsIn,
	expressionsIn,
	isOfModel,
	missingIn,
	type ReadColumn,
} from '../base/expressions';
import { nearMiss } from '../base/nearest';
import type { Field } from '../form/fields';
import { isSecret } from '../form/limits';

/** n8n shows hints as HTML. */
const isPlainText = (text: string) => !/[<>&]/.test(text);

interface Proxy {
	$: (node: string) => { all(): Array<{ json: unknown }> };
}

interface EmptyField {
	label: string;
	/** Undefined if the user has left the field empty, or if it must not be shown. */
	expression?: string;
	items: Set<number>;
}

export class EmptyFields {
	private readonly fields = new Map<string, EmptyField>();

	/** Sentences by expression: many items can have the same fault. */
	private readonly sentences = new Map<string, string>();

	constructor(private readonly context: IExecuteFunctions) {}

	/** Notes a field of an item. What the model alone fills in isn't noted: it knows what it gave. */
	note(index: number, field: Field, raw: unknown): void {
		const [expression, other] = expressionsIn(raw);
		if (isOfModel(expression)) return;
		const key = `${field.displayName} ${expression}`;
		const isShown = other === undefined && !isSecret(field);
		const known = this.fields.get(key) ?? {
			label: field.displayName,
			expression: isShown ? expression?.slice(1) : undefined,
			items: new Set(),
		};
		known.items.add(index);
		this.fields.set(key, known);
	}

	/** Says which columns of an expression no item has, and the nearest that there is. Empty if they're all there. */
	missing(expression: string): string {
		const known = this.sentences.get(expression);
		if (known !== undefined) return known;
		const columns = columnsIn(expression).map((column) => this.missingText(column));
		const text = columns.filter(Boolean).join(' ');
		this.sentences.set(expression, text);
		return text;
	}

	private missingText({ node, path }: ReadColumn): string {
		const missing = missingIn(this.itemsOf(node), path);
		if (!missing || !isPlainText(missing.name)) return '';
		const { name, others } = missing;
		const near = nearMiss(path.at(name.split('.').length - 1) ?? name, others.filter(isPlainText));
		const where = node === undefined ? '' : ` of "${node}"`;
		return `No item${where} has \`${name}\`.${near === undefined ? '' : ` Did you mean \`${near}\`?`}`;
	}

	/** Empty for a node that isn't there, or hasn't run. */
	private itemsOf(node: string | undefined): unknown[] {
		try {
			const items =
				node === undefined
					? this.context.getInputData()
					: (this.context.getWorkflowDataProxy(0) as unknown as Proxy).$(node).all();
			return items.map(({ json }) => json);
		} catch {
			return [];
		}
	}

	/** A hint for each field that gave nothing for all items that were read. */
	hints(read: Set<number>): string[] {
		const { size } = read;
		const all = size > 0 ? [...this.fields.values()] : [];
		const forAll = all.filter(({ items }) => [...read].every((index) => items.has(index)));
		return forAll.map(({ label, expression = '' }) => {
			const isShown = expression !== '' && isPlainText(expression);
			const items = size > 1 ? ` for all ${size} items` : '';
			const why = isShown ? `: the expression ${short(expression)} gives nothing` : '';
			return `"${label}" is empty${items}${why}. ${this.missing(expression)}`.trimEnd();
		});
	}
}
