// What people type into n8n's node panel, searched as n8n does it: by the names and the search words of all nodes.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sublimeSearch } from '@n8n/utils/search/sublime-search';
import { nodes, table, type PackageNode } from '../table/operations.cts';

const codexOf = ({ folder }: PackageNode): { alias: string[] } => {
	const path = join(__dirname, '../../nodes', folder);
	const file = readdirSync(path).find((each) => each.endsWith('.node.json'))!;
	return JSON.parse(readFileSync(join(path, file), 'utf8'));
};

/** n8n shows a trigger that is named as an action node in the entry of that node. */
const isMerged = ({ name }: PackageNode) =>
	name.endsWith('Trigger') && nodes.some((other) => `${other.name}Trigger` === name);

const entries = nodes
	.filter((node) => !isMerged(node))
	.map((node) => ({
		key: node.name,
		properties: { displayName: node.displayName.replace(/ Trigger$/, ''), codex: codexOf(node) },
	}));

const firstFor = (text: string) => sublimeSearch(text, entries)[0]?.item.key;

const withoutArticles = (action: string) => action.toLowerCase().replace(/\b(a|an|the) /g, '');

test('the events of a charge stand in the entry of the node that charges', () => {
	expect(nodes.filter(isMerged).map(({ name }) => name)).toEqual(['platformCustomersTrigger']);
});

test("an operation's words lead to its node: add what is missing to the alias of its codex file", () => {
	const wrong = table.flatMap(({ node, operation: { action } }) =>
		[action.toLowerCase(), withoutArticles(action)]
			.filter((text) => {
				const first = firstFor(text);
				const isNamesake = table.some(
					(other) => other.node === first && withoutArticles(other.operation.action) === text,
				);
				return first !== node && !isNamesake;
			})
			.map((text) => `${text}: ${String(firstFor(text))} in place of ${node}`),
	);
	expect(wrong).toEqual([]);
});

test.each([
	['webhook paid', 'platformCustomers'],
	['charge paid', 'platformCustomers'],
	['on charge paid', 'platformCustomers'],
	['payment failed', 'platformCustomers'],
	['platform trigger', 'platformCustomers'],
	['create customer', 'platformCustomers'],
	['charge a customer', 'platformCustomers'],
	['payout', 'platformPartners'],
	['new customer', 'platformPollingTrigger'],
])('%s leads to %s', (text, node) => {
	expect(firstFor(text)).toBe(node);
});

test("every icon bears the mark of the family, a layer of the credential's icon", () => {
	const folder = join(__dirname, '../../icons');
	const mark = /<path d="M3 44\.5 30 55l27-10\.5V50L30 60 3 50Z" fill="#(1f4fc0|7aa8ff)"\/>/;
	const files = nodes.flatMap(({ description: { icon } }) =>
		typeof icon === 'object' ? [icon.light, icon.dark] : [String(icon)],
	);
	const without = files
		.map((file) => file.split('/').pop()!)
		.filter((file) => !mark.test(readFileSync(join(folder, file), 'utf8')));
	expect(without).toEqual([]);
});
