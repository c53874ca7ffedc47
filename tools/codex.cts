// The codex files of the nodes: the words by which n8n's panel finds them, searched as n8n does it. `npm run generate` adds what
// is missing for a new operation.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sublimeSearch } from '@n8n/utils/search/sublime-search';
import { nodes, table, type PackageNode, type TableEntry } from '../test/table/operations.cts';

function codexOf({ folder }: PackageNode): { alias: string[] } {
	const path = join(__dirname, '../nodes', folder);
	const file = readdirSync(path).find((each) => each.endsWith('.node.json'))!;
	return JSON.parse(readFileSync(join(path, file), 'utf8')) as { alias: string[] };
}

/** n8n shows a trigger that is named as an action node in the entry of that node. */
export const isMerged = ({ name }: PackageNode): boolean =>
	name.endsWith('Trigger') && nodes.some((other) => `${other.name}Trigger` === name);

const entries = nodes
	.filter((node) => !isMerged(node))
	.map((node) => ({
		key: node.name,
		properties: { displayName: node.displayName.replace(/ Trigger$/, ''), codex: codexOf(node) },
	}));

/** The node that the panel shows first for what somebody types. */
export const firstFor = (text: string): string | undefined =>
	sublimeSearch(text, entries)[0]?.item.key;

const withoutArticles = (action: string) => action.toLowerCase().replace(/\b(a|an|the) /g, '');

/** Words of an operation that lead to another node, each with the node that they lead to. */
export function strayed({ node, operation: { action } }: TableEntry): string[] {
	return [action.toLowerCase(), withoutArticles(action)].flatMap((text) => {
		const first = firstFor(text);
		const isNamesake = table.some(
			(other) => other.node === first && withoutArticles(other.operation.action) === text,
		);
		return first === node || isNamesake ? [] : [`${text}: ${first} in place of ${node}`];
	});
}

/** A file, with what leads to its operations if it's a codex file that lacks it. */
export function withAliases([path, text]: [path: string, text: string]): [
	path: string,
	text: string,
] {
	const missing = table
		.filter(({ folder }) => path.startsWith(`nodes/${folder}/`))
		.filter((entry) => strayed(entry).length > 0)
		.map(({ operation: { action } }) => `"${action.toLowerCase()}",`);
	if (missing.length === 0) return [path, text];
	const begin = '"alias": [';
	const whole = text.includes(begin)
		? text
		: text.replace('"resources"', `${begin}"platform"],\n"resources"`);
	return [path, whole.replace(begin, `${begin}\n${missing.join('\n')}`)];
}
