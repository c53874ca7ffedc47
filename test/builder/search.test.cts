// n8n's search for nodes: what it shows for what people and models type, and where its ranking sets the limit.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';
import { fetch } from 'undici';
import { table } from '../table/operations.cts';
import { builder, PACKAGE } from './builder.cts';
import { queries, ranks } from './queries.cts';

const building = builder('search');

const load = createRequire(join(__dirname, '../n8n/node_modules/n8n/package.json'));

/** The part of n8n that its MCP server searches with, from the n8n under test. */
const catalog = load('@n8n/ai-utilities/node-catalog') as {
	NodeTypeParser: new (types: INodeTypeDescription[]) => object;
	searchCodeBuilderNodes(parser: object, queries: string[]): { results: string };
};

/** Queries whose five places go to products of that name, in n8n 2.41.1. */
const MISSED = [
	'customer',
	'create customer',
	'update customer',
	'charge a customer',
	'crm',
	'charge paid trigger',
	'new customer',
	'new customer trigger',
	'polling trigger',
	'convert currency',
	'embeddings',
];

interface Ranking {
	/** Queries whose wanted node comes first. */
	first: string[];
	/** Queries for which neither is shown: the wanted node, or one that names it. */
	missed: string[];
}

const idOf = (wanted: string) => `${PACKAGE}.platform${wanted}`;

/** @param search gives what a model reads for a query */
async function rankingOf(
	search: (query: string, wanted: string) => string | Promise<string>,
): Promise<Ranking> {
	const ranking: Ranking = { first: [], missed: [] };
	for (const [query, wanted] of queries) {
		const text = await search(query, wanted);
		const place = [...text.matchAll(/^- (\S+)/gm)].findIndex(([, id]) => id === idOf(wanted));
		if (place === 0) ranking.first.push(query);
		if (place < 0 && !text.includes(`- ${idOf(wanted)}:`)) ranking.missed.push(query);
	}
	return ranking;
}

/** The types as this n8n serves them to its editor, with codex and the variants for agents. */
async function servedTypes(): Promise<INodeTypeDescription[]> {
	const { client } = building().n8n;
	const { cookie, browserId } = client.session;
	const response = await fetch(`${client.url}/types/nodes.json`, {
		dispatcher: client.dispatcher,
		headers: { cookie, 'browser-id': browserId },
	});
	return (await response.json()) as INodeTypeDescription[];
}

test('the search shows the wanted node, or one that leads to it, as often as its ranking allows', async () => {
	const { ask } = building();
	const shown = await rankingOf(async (query) => await ask('search_nodes', { queries: [query] }));
	expect(shown.missed).toEqual(MISSED);
	expect({ first: shown.first.length, found: queries.length - MISSED.length }).toEqual(ranks);

	const types = await servedTypes();
	const search = (all: INodeTypeDescription[], query: string) =>
		catalog.searchCodeBuilderNodes(new catalog.NodeTypeParser(all), [query]).results;
	expect(await rankingOf((query) => search(types, query))).toEqual(shown);

	// The best that search words can do: the wanted node has the query, and each word of it, as an alias.
	const best = await rankingOf((query, wanted) => {
		const alias = [query, ...query.split(' ')];
		const better = types.map((type) => {
			const { codex = {} } = type;
			const more = { ...codex, alias: [...(codex.alias ?? []), ...alias] };
			return type.name === idOf(wanted) ? { ...type, codex: more } : type;
		});
		return search(better, query);
	});
	expect(best).toEqual(shown);
});

test('the search says what to know before an operation is chosen', async () => {
	const { ask } = building();
	for (const { displayName, operation } of table.filter((entry) => entry.operation.builderHint)) {
		const shown = await ask('search_nodes', { queries: [displayName] });
		expect(shown).toContain(`@builderHint ${operation.builderHint}`);
	}
});
