// The parts of the documentation that follow from the operation table: the page of all operations,
// the scopes that each node needs, and what each node covers.
import type { INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { leavesInDryRun } from '../test/table/api.cts';
import { names, ownIds } from '../dist/nodes/api/names.js';
import { pickerLists } from '../dist/nodes/api/pickerLists.js';
import { embedding } from '../dist/nodes/Embeddings/embed.js';
import { polledRoutes } from '../dist/nodes/PollingTrigger/events.js';
import { operation as search } from '../dist/nodes/Retriever/search.js';
import { operation as knowledgeTool } from '../dist/nodes/KnowledgeBaseTool/tool.js';
import { accountRoutes } from '../dist/nodes/api/account.js';
import { webhookRoutes } from '../dist/nodes/Trigger/webhooks.js';
import type { Route } from '../test/table/api.cts';
import { compositeOf } from './composites.cts';
import { exception, isRetried } from './reliability.cts';
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
	const why = exception(operation);
	const isSent = leavesInDryRun(route);
	return [
		why && `${isRetried(operation) ? 'retried' : 'not retried'} (${why})`,
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
	return [
		resource.name,
		operation.name,
		compositeOf(entry)?.summary ?? code(asked, '<br>'),
		scopeCell(asked),
		notesOn(operation),
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
	'All operations of the action nodes, with the endpoints that each one may call, its own first, and their scopes. The others are for what a form asks for, such as Return Whole Record. Paths are relative to the Base URL and the API version.',
	'After a broken connection, a timeout, a 408 or a 5xx, GET, PUT and DELETE are retried, and POST is not ([more](reliability.md#what-is-retried)). In a dry run, only GET is sent. **Notes** say what differs. **One at a time**: the operation moves money, sends email or starts something, so it handles one item at a time unless you set Max Parallel Requests in Settings.',
];

const operationHead = ['Resource', 'Operation', 'Endpoint', 'Scope', 'Notes'];

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
		if (asked.length === 0) return [displayName, OFFERED, OFFERED];
		return [displayName, code(asked, '<br>'), scopeCell(asked)];
	});
	const last = ['## Nodes without operations', tableOf(['Node', 'Endpoints', 'Scopes'], otherRows)];
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
		return [displayName, code(needed.sort()) || OFFERED, code(picked.sort()) || 'none'];
	});
	return tableOf(['Node', 'Scopes of its operations', 'Extra scopes for lists'], rows);
}

/** The resources of a node as its form names them, each with the number of its operations. */
function coverageOf({ properties }: INodeTypeDescription): string[] {
	const choices = (name: string, resource?: unknown) =>
		properties
			.filter((property) => property.name === name)
			.filter(({ displayOptions }) =>
				resource === undefined
					? true
					: displayOptions?.show?.resource?.includes(resource as string),
			)
			.flatMap(({ options }) => (options ?? []) as INodePropertyOptions[]);
	return choices('resource').map(
		({ name, value }) => `${name} ${choices('operation', value).length}`,
	);
}

/** The table of nodes for README.md: what an action node covers, and what each other one does. */
export function coverageTable(): string {
	const rank = ({ resources }: PackageNode) => (resources === undefined ? 1 : 0);
	const rows = [...nodes]
		.sort(
			(one, other) => rank(one) - rank(other) || one.displayName.localeCompare(other.displayName),
		)
		.map(({ displayName, description }) => {
			const covered = coverageOf(description).join(', ');
			return [`**${displayName}**`, covered || description.description];
		});
	return tableOf(['Node', 'Resources, with the number of operations'], rows);
}

/** Names that the rule of one operation gives. */
const namesOfRules: Array<[name: string, places: string[]]> = [
	['is_consistent', ['propagation.is_consistent']],
	['properties', ['CustomerProperties', 'elements']],
	['query_error', ['queries.error']],
];

/** The table of names for docs/nodes.md: what Simplify names otherwise than the API, by name. */
export function namesTable(): string {
	const raw = new Map<string, string[]>([['id', [...ownIds]], ...namesOfRules]);
	for (const [place, name] of Object.entries(names)) {
		raw.set(name, [...(raw.get(name) ?? []), place]);
	}
	const rows = [...raw].sort(([one], [other]) => one.localeCompare(other));
	return tableOf(
		['Name', 'In raw data also'],
		rows.map(([name, places]) => [code([name]), code(places)]),
	);
}
