// The parts of the documentation that follow from the operation table: the page of all operations,
// the scopes that each node needs, and what each node covers.
import type { INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { leavesInDryRun } from '../test/table/api.cts';
import { names, ownIds } from '../dist/nodes/api/names.js';
import { snake } from '../dist/nodes/engine/form/fields.js';
import { pickerLists } from '../dist/nodes/api/pickerLists.js';
import { embedding } from '../dist/nodes/Embeddings/embed.js';
import { polledRoutes } from '../dist/nodes/PollingTrigger/events.js';
import { operation as search } from '../dist/nodes/Retriever/search.js';
import { operation as knowledgeTool } from '../dist/nodes/KnowledgeBaseTool/tool.js';
import { accountRoutes } from '../dist/nodes/api/account.js';
import { webhookRoutes } from '../dist/nodes/Trigger/webhooks.js';
import type { Route } from '../test/table/api.cts';
import { compositeOf } from './composites.cts';
import { isExceptional, isRetried } from './reliability.cts';
import {
	endpointOf,
	nodes,
	routesOf,
	table,
	type PackageNode,
	type TableEntry,
} from '../test/table/operations.cts';

/** Endpoints of the nodes that have no operations. */
const outsideTheTable: Record<string, Route[]> = {
	platformApiTool: [],
	platformEmbeddings: routesOf(embedding),
	platformKnowledgeBaseRetriever: routesOf(search),
	platformKnowledgeBaseTool: routesOf(knowledgeTool),
	platformPollingTrigger: [...new Set([...accountRoutes, ...polledRoutes])].sort(),
	platformCustomersTrigger: [...accountRoutes, 'GET /webhooks/types.json', ...webhookRoutes],
};

/** Stands for the endpoints of a toolkit, which has no own ones. */
const OFFERED = 'Those of the operations that it offers';

/** By the name of the list; a picker of known values has none. */
const lists: Record<string, { route: Route } | undefined> = pickerLists;

const unique = <T,>(values: T[]): T[] => [...new Set(values)];

const code = (values: string[], separator = ', ') =>
	values.map((value) => `\`${value}\``).join(separator);

const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

const tableOf = (head: string[], rows: string[][]) =>
	[row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** Endpoints of an operation, with those that only its options need. */
function endpointsOf(entry: TableEntry): Route[] {
	return compositeOf(entry)?.summary ? [] : unique(routesOf(entry.operation));
}

/** Scopes of endpoints; null stands for one that the reference does not show. */
function scopesOf(asked: Route[]): Array<string | null> {
	return unique(asked.map((route) => endpointOf(route).scope));
}

function scopeCell(asked: Route[]): string {
	if (asked.length === 0) return 'none';
	return scopesOf(asked)
		.map((scope) => (scope === null ? 'not shown' : `\`${scope}\``))
		.join(', ');
}

/** How an operation differs from what its method says. */
function notesOn(operation: TableEntry['operation']): string {
	const { route } = operation.endpoint;
	const isSent = leavesInDryRun(route);
	return [
		isExceptional(operation) && (isRetried(operation) ? 'retried' : 'not retried'),
		operation.sequential && 'one at a time',
		isSent !== route.startsWith('GET ') && (isSent ? 'sent in a dry run' : 'not sent in a dry run'),
		endpointOf(route).checksCode && 'fails in a dry run',
	]
		.filter(Boolean)
		.join(', ');
}

function operationRow(entry: TableEntry): string[] {
	const { resource, operation } = entry;
	const asked = endpointsOf(entry);
	const notes = notesOn(operation);
	return [
		`${resource.name}: ${operation.name}${notes && `<br>_${notes}_`}`,
		compositeOf(entry)?.summary ?? code(asked, '<br>'),
		scopeCell(asked),
	];
}

const byName = (one: TableEntry, other: TableEntry) =>
	one.resource.name.localeCompare(other.resource.name) ||
	one.operation.name.localeCompare(other.operation.name);

/** Endpoints of a node without operations. */
function ownEndpoints(node: string): Route[] {
	const own = outsideTheTable[node];
	if (!own) throw new Error(`${node} has no operations, and no entry in tools/pages.cts`);
	return own;
}

const entriesOf = (node: string) => table.filter((entry) => entry.node === node);

const intro = [
	'# Operations',
	'<!-- Made by `npm run generate` from the operation table: change the table, not this page. -->',
	'The endpoints that each operation may call, its own first, then those for its options, such as Return Whole Record. Paths are relative to the Base URL and the API version.',
	'After a broken connection, a timeout, a 408 or a 5xx, GET, PUT and DELETE are retried, and POST is not ([more](reliability.md#what-is-retried)). In a dry run, only GET is sent. Below an operation stands how it differs. **One at a time**: one item after the other, unless you set Max Parallel Requests in Settings.',
];

const operationHead = ['Operation', 'Endpoint', 'Scope'];

/** The page docs/operations.md. */
export function operationsPage(): string {
	const withOperations = nodes.filter(({ resources }) => resources !== undefined);
	const others = nodes.filter(({ resources }) => resources === undefined);
	const sections = withOperations.flatMap(({ name, displayName }) => [
		`## ${displayName}`,
		tableOf(operationHead, entriesOf(name).sort(byName).map(operationRow)),
	]);
	const otherRows = others.map(({ name, displayName }) => {
		const asked = ownEndpoints(name);
		return [displayName, code(asked, '<br>') || OFFERED];
	});
	const last = [
		'## Nodes without operations',
		'Their scopes: [Credential](credential.md#scopes).',
		tableOf(['Node', 'Endpoints'], otherRows),
	];
	return `${[...intro, ...sections, ...last].join('\n\n')}\n`;
}

/** Names of the lists that the pickers of a form load, wherever they stand in its description. */
function listsIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, each]) =>
		key === 'searchListMethod' || key === 'loadOptionsMethod' ? [String(each)] : listsIn(each),
	);
}

/** The table of scopes by node for docs/credential.md. */
export function scopesTable(): string {
	const rows = nodes.map(({ name, displayName, description, resources }) => {
		const asked = resources ? entriesOf(name).flatMap(endpointsOf) : ownEndpoints(name);
		const needed = scopesOf(asked).filter((scope) => scope !== null);
		const picked = unique(
			listsIn(description.properties).flatMap((list) => {
				const route = lists[list]?.route;
				return route === undefined ? [] : (endpointOf(route).scope ?? []);
			}),
		).filter((scope) => !needed.includes(scope));
		const forLists = picked.length === 0 ? [] : [`for lists also ${code(picked.sort())}`];
		return [displayName, [code(needed.sort()) || OFFERED, ...forLists].join(', ')];
	});
	return tableOf(['Node', 'Scopes'], rows);
}

/** The resources of a node as its form names them. */
const resourcesOf = ({ properties }: INodeTypeDescription): string[] =>
	properties
		.filter(({ name }) => name === 'resource')
		.flatMap(({ options }) => (options ?? []) as INodePropertyOptions[])
		.map(({ name }) => name);

/** The table of nodes for README.md: what an action node covers, and what each other one does. */
export function coverageTable(): string {
	const rank = ({ resources }: PackageNode) => (resources === undefined ? 1 : 0);
	const rows = [...nodes]
		.sort(
			(one, other) => rank(one) - rank(other) || one.displayName.localeCompare(other.displayName),
		)
		.map(({ displayName, description }) => {
			const covered = resourcesOf(description).join(', ');
			return [`**${displayName}**`, covered || description.description];
		});
	return tableOf(['Node', 'Resources'], rows);
}

/** Names that the rule of one operation gives. */
const namesOfRules: Array<[name: string, places: string[]]> = [
	['properties', ['CustomerProperties', 'elements']],
	['query_error', ['queries.error']],
];

/** The table of names for docs/nodes.md: what Simplify calls by another word than the API. */
export function namesTable(): string {
	const raw = new Map<string, string[]>([['id', [...ownIds]], ...namesOfRules]);
	for (const [place, name] of Object.entries(names)) {
		if (snake(place.split('.').at(-1)!) !== name) raw.set(name, [...(raw.get(name) ?? []), place]);
	}
	const rows = [...raw].sort(([one], [other]) => one.localeCompare(other));
	return tableOf(
		['Name', 'In raw data'],
		rows.map(([name, places]) => [code([name]), code(places)]),
	);
}
