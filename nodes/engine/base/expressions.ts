// n8n's expressions in raw parameters, as text: where there are some, and which columns they read.
import { isRecord } from './data';

export function expressionsIn(raw: unknown): string[] {
	if (typeof raw === 'string') return raw.startsWith('=') ? [raw] : [];
	return typeof raw === 'object' && raw !== null ? Object.values(raw).flatMap(expressionsIn) : [];
}

export function holdsExpression(raw: unknown): boolean {
	if (typeof raw === 'string') return raw.startsWith('=');
	return typeof raw === 'object' && raw !== null && Object.values(raw).some(holdsExpression);
}

/** True if the model alone fills in the value, the same for all items. */
export const isOfModel = (raw: unknown): boolean =>
	typeof raw === 'string' &&
	/\$fromai/i.test(raw) &&
	!/\$(json|input|node|item|items|itemIndex)\b|\$\(/.test(raw);

export interface ReadColumn {
	/** Node of the items. Undefined for the input items. */
	node?: string;
	path: string[];
}

const NAMED = String.raw`\(\s*(?:'([^']*)'|"([^"]*)"|` + '`([^`]*)`' + String.raw`)\s*\)`;
const ITEM = String.raw`(?:item|pairedItem\(\)|first\(\)|last\(\))`;
const KEY = String.raw`(?:\s*\??\.\s*[\p{L}_$][\p{L}\p{N}_$]*|\s*(?:\?\.)?\[\s*(?:'[^']*'|"[^"]*")\s*\])`;

/** `$json.a.b`, `$input.item.json["a"]`, `$('Node').item.json.a`, `$node["Node"].json.a`. */
const COLUMN = new RegExp(
	String.raw`(?:\$json|\$input\.${ITEM}\.json|\$${NAMED}\s*\.\s*${ITEM}\s*\.\s*json|\$node(?:\.(\w+)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])\.json)(${KEY}+)`,
	'gu',
);

/** Each column once. The name of a method after the last column isn't part of its path. */
export function columnsIn(expression: string): ReadColumn[] {
	const columns = new Map<string, ReadColumn>();
	for (const found of expression.matchAll(COLUMN)) {
		const names = found.slice(1, -1).filter((each) => each !== undefined);
		const keys = String(found.at(-1)).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*|'[^']*'|"[^"]*"/gu);
		const path = [...keys].map(([key]) => key.replace(/^['"]|['"]$/g, ''));
		const isMethod = /^\s*(?:\?\.)?\(/.test(expression.slice(found.index + found[0].length));
		if (isMethod) path.pop();
		const [node] = names;
		if (path.length > 0) columns.set(`${node} ${path.join('.')}`, { node, path });
	}
	return [...columns.values()];
}

const valueIn = (value: unknown, key: string): unknown =>
	isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;

/** The first part of a path that no item has, with the names in its place. Undefined where a parent isn't an object. */
export function missingIn(
	items: unknown[],
	path: string[],
): { name: string; others: string[] } | undefined {
	let values = items;
	for (const [depth, key] of path.entries()) {
		const records = values.filter(isRecord);
		if (records.length === 0 && depth > 0) return undefined;
		if (!records.some((each) => Object.hasOwn(each, key))) {
			const others = [...new Set(records.flatMap((each) => Object.keys(each)))];
			return { name: path.slice(0, depth + 1).join('.'), others };
		}
		values = records.map((each) => valueIn(each, key));
	}
	return undefined;
}
