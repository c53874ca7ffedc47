// Items that replace the same list or map of a record, each with its own. Only the last one's would stay, so all of them are
// refused before anything is sent.
import { FieldFault, type ApiRequest } from '../base/apiRequest';
import { hashOf, recordOf, sortedJson } from '../base/data';
import { wireName } from '../form/containers';
import { labelOf } from '../form/fields';
import { routesOf, type Operation } from '../form/operation';
import { fieldsWithKey, type Form } from '../form/request';

interface Replacing {
	/** Hash of the list that the first item has. */
	first: string;
	differ: boolean;
	items: Array<{ index: number; fault: () => FieldFault }>;
}

export class Replaced {
	/** By the record and the key of the list. */
	private readonly lists = new Map<string, Replacing>();

	/** Advice by the keys of the lists that the operation may replace. */
	private readonly ways: Array<[key: string, way: string]>;

	constructor(private readonly operation: Operation) {
		const { api } = operation.endpoint;
		this.ways = routesOf(operation).flatMap((route) =>
			Object.entries(api.endpoint(route).replaces ?? {}),
		);
	}

	note({ index, request, form }: { index: number; request: ApiRequest; form: Form }): void {
		const { root, recordKey, merged } = this.operation;
		if (this.ways.length === 0) return;
		const record = recordOf(root === undefined ? request.body : request.body?.[root]);
		const kept = merged?.(request) ?? [];
		for (const [key, way] of this.ways) {
			const value = record[key];
			if (value === undefined || kept.includes(key)) continue;
			const place = `${recordKey?.(request) ?? request.path} ${key}`;
			const hash = hashOf(sortedJson(value));
			const list = this.lists.get(place) ?? { first: hash, differ: false, items: [] };
			const field = fieldsWithKey(form.fields).find((each) => wireName(each) === key);
			const fault = () =>
				new FieldFault(
					field?.displayName ?? labelOf(key),
					`replaces all that the record has, and several items do that for the same record, so only the last would stay. ${way}`,
				);
			list.differ ||= list.first !== hash;
			list.items.push({ index, fault });
			this.lists.set(place, list);
		}
	}

	/** The faults of the items that don't have the same list for one record. */
	faults(): Map<number, FieldFault> {
		const differing = [...this.lists.values()].filter(({ differ }) => differ);
		return new Map(
			differing.flatMap(({ items }) => items.map(({ index, fault }) => [index, fault()])),
		);
	}
}
