// Counts what is done to records, by the results of operations that compare them (`Operation.compares`).
import { recordOf } from '../base/data';

const NAMED = 8;

const many = (count: number) => count.toLocaleString('en-US');

export class Tally {
	private created = 0;

	private updated = 0;

	private unchanged = 0;

	/** Number of records by the field that is changed in them. */
	private readonly fields = new Map<string, number>();

	add(result: unknown): void {
		const { action, changes } = recordOf(result);
		if (action === 'created') this.created++;
		if (action === 'unchanged') this.unchanged++;
		if (action !== 'updated') return;
		this.updated++;
		for (const name of Object.keys(recordOf(changes))) {
			this.fields.set(name, (this.fields.get(name) ?? 0) + 1);
		}
	}

	get isEmpty(): boolean {
		return this.created + this.updated + this.unchanged === 0;
	}

	/** Says what was done, or would be, the fields that change most often first. */
	text(isDry: boolean): string {
		const fields = [...this.fields].sort(([, one], [, other]) => other - one);
		const named = fields.slice(0, NAMED).map(([name, count]) => `${name} ${many(count)}`);
		if (fields.length > NAMED) named.push(`${fields.length - NAMED} other fields`);
		const by = named.length > 0 ? ` (${named.join(', ')})` : '';
		const [be, are] = isDry ? ['would be ', 'are '] : ['', ''];
		return `${many(this.created)} ${be}created, ${many(this.updated)} updated${by}, and ${many(this.unchanged)} ${are}unchanged`;
	}
}
