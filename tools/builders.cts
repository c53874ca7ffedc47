// What is measured of AI builders, for docs/contributing/builders.md.
import { prompts } from '../test/builder/prompts.cts';
import { queries, ranks } from '../test/builder/queries.cts';
import { wrong } from '../test/builder/wrong.cts';
import { nodes } from '../test/table/operations.cts';
import { tokensOfText } from './toolTokens.cts';
import { TYPE_BOUNDS, typesOf } from './typeTokens.cts';

const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`;

const tableOf = (head: string[], rows: ReadonlyArray<readonly unknown[]>) =>
	[head, head.map(() => '---'), ...rows].map(line).join('\n');

/** Text in a cell of a table, as it is. */
const cell = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

/** Tokens of the types of all nodes, and of the largest, before the nodes had hints. */
const TOKENS_BEFORE = { all: 76_215, node: 17_300 };

/** Tokens and ranks, before and now. */
export function measuresTable(): string {
	const tokens = nodes.map((node) => tokensOfText(typesOf(node)));
	const all = tokens.reduce((sum, each) => sum + each, 0);
	const { before, now } = ranks;
	return tableOf(
		['Measure', 'Before the hints', 'Now', 'Bound'],
		[
			['Tokens of the types, all nodes', TOKENS_BEFORE.all, all, `max ${TYPE_BOUNDS.all}`],
			[
				'Tokens of the types, largest node',
				TOKENS_BEFORE.node,
				Math.max(...tokens),
				`max ${TYPE_BOUNDS.node}`,
			],
			[`Of ${queries.length} queries: wanted node first`, before.first, now.first, "n8n's ranking"],
			[
				`Of ${queries.length} queries: wanted node shown, or named by a shown one`,
				before.found,
				now.found,
				"n8n's ranking",
			],
		],
	);
}

/** Wrong configurations, and what a model reads of each. */
export const wrongTable = () =>
	tableOf(
		['Wrong', 'Parameters', 'The model reads'],
		wrong.map(({ what, node, parameters, says }) => [
			what,
			`${node}: ${cell(JSON.stringify(parameters))}`,
			cell(says),
		]),
	);

/** Prompts that were tried. */
export const promptsList = () => prompts.map(({ says }) => `- _${says}_`).join('\n');
