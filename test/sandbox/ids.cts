/** What ids look like in a world: the sandbox keeps its own, and translates on the way in and out. */
import { createHash } from 'node:crypto';
import type { World } from '../contract/worlds.cts';

/** The sandbox's own ids: three letters and numbers. External ids of callers are none of them. */
const own =
	/^(ado|aev|aic|akb|apr|avs|chg|chl|cnt|com|cus|dlv|evt|fee|grp|idp|nwl|pay|ptn|rec|req|rsk|run|sub|trc|typ|use|wfl|whk)-[\w-]+$|^plan-\w+$/;

const uuidOf = (text: string): string => {
	const hex = createHash('sha256').update(text).digest('hex');
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** A JSON value with each of its texts replaced. */
function mapped(value: unknown, replace: (text: string) => string): unknown {
	if (typeof value === 'string') return replace(value);
	if (Array.isArray(value)) return value.map((each) => mapped(each, replace));
	if (typeof value !== 'object' || value === null) return value;
	if (Buffer.isBuffer(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, each]) => [name, mapped(each, replace)]),
	);
}

export class Ids {
	private readonly shownById = new Map<string, string>();

	private readonly idByShown = new Map<string, string>();

	constructor(private readonly world: World) {}

	/** A value of the sandbox with its ids as clients see them. */
	out<Value>(value: Value): Value {
		if (this.world.ids === 'prefix and number') return value;
		return mapped(value, (text) => (own.test(text) ? this.shown(text) : text)) as Value;
	}

	/** A value of a client with the sandbox's own ids; those that are unknown stay. */
	in<Value>(value: Value): Value {
		if (this.world.ids === 'prefix and number') return value;
		return mapped(value, (text) => this.idByShown.get(text) ?? text) as Value;
	}

	private shown(id: string): string {
		const known = this.shownById.get(id);
		if (known !== undefined) return known;
		const shown =
			this.world.ids === 'UUIDs' ? uuidOf(id) : String(4_000_000 + this.shownById.size + 1);
		this.shownById.set(id, shown);
		this.idByShown.set(shown, id);
		return shown;
	}
}
