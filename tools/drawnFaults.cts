// Faults that are drawn anew, for tools/faults.cts: by the syntax of the sources, at places that a test executes, in all areas
// alike. What the compiler refuses, or makes the same code of, is none.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../test/copy.cts';
import { randomFrom } from '../test/sandbox/random.cts';
import { compiled } from './transpile.cts';

export interface Fault {
	file: string;
	/** What is in the file once. */
	text: string;
	/** What takes its place. */
	other: string;
	/** The test that found it last; empty if none did, undefined if it was never planted. */
	found?: string;
	/** Of a drawn one: whether a test found it when it was drawn. */
	atFirst?: boolean;
	/** Why nothing can tell it from the right code. */
	equal?: string;
}

/** A part of a file, and what takes its place. */
interface Change {
	from: number;
	to: number;
	text: string;
}

const areas: Record<string, RegExp> = {
	triggers: /^nodes\/(Trigger|PollingTrigger)\//,
	'tools and AI': /^nodes\/(ApiTool|KnowledgeBaseTool|Retriever|Embeddings|AiGateway)\//,
	client: /^nodes\/engine\/client\//,
	run: /^nodes\/engine\/(run|node|base)\//,
	forms: /^nodes\/engine\/(form|editor)\//,
	api: /^nodes\/api\//,
};

export const areaOf = (file: string): string =>
	Object.keys(areas).find((area) => areas[area].test(file)) ?? 'areas';

const operators: Record<string, string> = {
	'&&': '||',
	'||': '&&',
	'===': '!==',
	'!==': '===',
	'+': '-',
	'-': '+',
	'*': '+',
	'??': '||',
};

const neighbours: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

const operatorOf = (node: ts.Node, others: Record<string, string>): Change[] => {
	if (!ts.isBinaryExpression(node)) return [];
	const { operatorToken } = node;
	const text = others[operatorToken.getText()];
	return text === undefined
		? []
		: [{ from: operatorToken.getStart(), to: operatorToken.end, text }];
};

const instead = (node: ts.Node, text: string): Change => ({
	from: node.getStart(),
	to: node.end,
	text,
});

/** Words for people, which tests of wording are about. */
const WORDS = /^(action|builderHint|description|displayName|hint|placeholder)$/;

/** Each element left out, with the comma after or before it. */
const without = (nodes: ts.NodeArray<ts.Node>): Change[] =>
	nodes.flatMap((node, index) => {
		const isOfWords = ts.isPropertyAssignment(node) && WORDS.test(node.name.getText());
		if (nodes.length < 2 || isOfWords) return [];
		if (index === 0) return [{ from: node.getStart(), to: nodes[1].getStart(), text: '' }];
		return [{ from: nodes[index - 1].end, to: node.end, text: '' }];
	});

const isInTry = (node: ts.Node): boolean =>
	!ts.isFunctionLike(node) &&
	(ts.isTryStatement(node.parent) || (node.parent && isInTry(node.parent)));

const isResult = ({ parent }: ts.Node) =>
	ts.isReturnStatement(parent) || ts.isArrowFunction(parent);

const kinds: Record<string, (node: ts.Node) => Change[]> = {
	'off by one': (node) =>
		ts.isNumericLiteral(node)
			? [1, -1].map((step) => instead(node, String(Number(node.text) + step)))
			: operatorOf(node, neighbours),
	'other operator': (node) =>
		ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
			? [instead(node, node.operand.getText())]
			: operatorOf(node, operators),
	'dropped await': (node) =>
		// A function that returns a promise may do so at once.
		ts.isAwaitExpression(node) && (!isResult(node) || isInTry(node))
			? [instead(node, node.expression.getText())]
			: [],
	'swapped arguments': (node) =>
		ts.isCallExpression(node) && !/^Math\.m(ax|in)$/.test(node.expression.getText())
			? node.arguments.slice(1).map((other, index) => {
					const one = node.arguments[index];
					const between = node.getSourceFile().text.slice(one.end, other.getStart());
					const text = other.getText() + between + one.getText();
					return { from: one.getStart(), to: other.end, text };
				})
			: [],
	'nothing for a default': (node) => {
		const isOr =
			ts.isBinaryExpression(node) &&
			node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
		const isDefault = ts.isParameter(node) || ts.isBindingElement(node);
		const value = isOr ? node.right : isDefault ? node.initializer : undefined;
		const nothing = ['0', "''", 'false', 'undefined', '[]', '{}'];
		return value ? nothing.map((text) => instead(value, text)) : [];
	},
	'a case less': (node) => {
		if (ts.isArrayLiteralExpression(node)) return without(node.elements);
		if (ts.isObjectLiteralExpression(node)) return without(node.properties);
		return ts.isCaseClause(node) ? [instead(node, '')] : [];
	},
	'a step less': (node) => {
		if (ts.isConditionalExpression(node)) {
			return [node.whenTrue, node.whenFalse].map((part) => instead(node, part.getText()));
		}
		const isGuard = ts.isIfStatement(node) && !node.elseStatement;
		return isGuard || ts.isExpressionStatement(node) ? [instead(node, ';')] : [];
	},
};

/** Rounds of faults that the compiler looks at together. */
const MAX_ROUNDS = 40;

/** Where compiled code is another. */
export function placeOf(right: string, wrong: string): number {
	let offset = 0;
	while (offset < right.length && right[offset] === wrong[offset]) offset++;
	return offset;
}

/** Finds the files that the compiler refuses with these texts, all at once. */
function refusedFiles(): (texts: Map<string, string>) => Set<string> {
	const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
	const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const host = ts.createCompilerHost(options);
	const { getSourceFile } = host;
	const read = new Map<string, ts.SourceFile | undefined>();
	let program: ts.Program | undefined;
	return (texts) => {
		host.getSourceFile = (path, language, ...more) => {
			const text = texts.get(relative(root, path));
			if (text !== undefined) return ts.createSourceFile(path, text, language);
			if (!read.has(path)) read.set(path, getSourceFile(path, language, ...more));
			return read.get(path);
		};
		const next = ts.createProgram(fileNames, options, host, program);
		program = next;
		const isRefused = (file: string) => {
			const source = next.getSourceFile(join(root, file));
			const faults = [next.getSyntacticDiagnostics(source), next.getSemanticDiagnostics(source)];
			return faults.flat().length > 0;
		};
		return new Set([...texts.keys()].filter(isRefused));
	};
}

/** A change as a fault: whole lines, as many as are in the file once. */
function faultOf(file: string, source: string, { from, to, text }: Change): Fault {
	let start = from;
	let old = '';
	do {
		start = source.lastIndexOf('\n', start - 1);
		old = source.slice(start + 1, to);
	} while (start > 0 && source.split(old.trimStart()).length > 2);
	const shift = old.length - old.trimStart().length;
	return { file, text: old.trimStart(), other: source.slice(start + 1 + shift, from) + text };
}

/**
 * Faults of all areas and kinds in turn.
 * @param files sources of the nodes
 * @param isExecuted whether a test executes an offset of the compiled code of a file
 */
export function drawnFaults(
	count: number,
	seed: number,
	files: string[],
	isExecuted: (file: string, offset: number) => boolean,
): Fault[] {
	const { next: draw } = randomFrom(seed);
	const shuffled = <T,>(values: T[]) =>
		values
			.map((value) => ({ value, order: draw() }))
			.sort((one, other) => one.order - other.order)
			.map(({ value }) => value);
	const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
	const places = new Map<string, Array<{ file: string; change: Change }>>();
	for (const [file, source] of sources) {
		const visit = (node: ts.Node): void => {
			for (const [kind, changes] of Object.entries(kinds)) {
				const key = `${areaOf(file)}: ${kind}`;
				const own = places.get(key) ?? [];
				places.set(key, own);
				own.push(...changes(node).map((change) => ({ file, change })));
			}
			ts.forEachChild(node, visit);
		};
		ts.forEachChild(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true), visit);
	}
	const order = shuffled(Object.keys(kinds));
	const names = [...new Set(files.map(areaOf))].sort();
	for (const [key, own] of places) places.set(key, shuffled(own));
	/** The next one of a kind, of a file that isn't in this round. */
	const next = (key: string, round: Map<string, string>): Fault | undefined => {
		const own = places.get(key) ?? [];
		for (const [index, { file, change }] of own.entries()) {
			if (round.has(file)) continue;
			own.splice(index, 1);
			const source = sources.get(file)!;
			const changed = source.slice(0, change.from) + change.text + source.slice(change.to);
			const [right, wrong] = [source, changed].map(compiled);
			if (right === wrong || !isExecuted(file, placeOf(right, wrong))) return next(key, round);
			round.set(file, changed);
			return faultOf(file, source, change);
		}
		return undefined;
	};
	const refusedOf = refusedFiles();
	// By area in turn, and in each by kind.
	const slots: Array<{ area: string; at: number; fault?: Fault }> = Array.from(
		{ length: count },
		(_slot, index) => ({
			area: names[index % names.length],
			at: Math.floor(index / names.length),
		}),
	);
	for (let rounds = 0; rounds < MAX_ROUNDS && slots.some(({ fault }) => !fault); rounds++) {
		const round = new Map<string, string>();
		const tried = slots
			.filter(({ fault }) => !fault)
			.map((slot) => {
				// If there is none of this kind, it's the next kind's turn.
				const kind = order[(slot.at + Math.floor(rounds / 8)) % order.length];
				return { slot, fault: next(`${slot.area}: ${kind}`, round) };
			});
		const refused = refusedOf(round);
		for (const { slot, fault } of tried) {
			if (fault && !refused.has(fault.file)) slot.fault = fault;
		}
	}
	return slots.flatMap(({ fault }) => fault ?? []);
}
