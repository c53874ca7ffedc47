// Faults that are drawn anew, for tools/faults.cts: by the syntax of the sources, at places that a test executes, in all areas
// alike. What the compiler refuses, or makes the same code of, is none.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../test/copy.cts';
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

/** Each element left out, with the comma after or before it. */
const without = (nodes: ts.NodeArray<ts.Node>): Change[] =>
	nodes.length < 2
		? []
		: nodes.map((node, index) =>
				index === 0
					? { from: node.getStart(), to: nodes[1].getStart(), text: '' }
					: { from: nodes[index - 1].end, to: node.end, text: '' },
			);

const isInTry = (node: ts.Node): boolean =>
	!ts.isFunctionLike(node) &&
	(ts.isTryStatement(node.parent) || (node.parent && isInTry(node.parent)));

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
		ts.isAwaitExpression(node) && (!ts.isReturnStatement(node.parent) || isInTry(node))
			? [instead(node, node.expression.getText())]
			: [],
	'swapped arguments': (node) =>
		ts.isCallExpression(node)
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
		return isGuard || ts.isExpressionStatement(node) ? [instead(node, '')] : [];
	},
};

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function drawing(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** What the compiler says of a file with another text. */
function typeFaults(): (file: string, text: string) => number {
	const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
	const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	let changed = { path: '', text: '', version: 0 };
	const textOf = (path: string) => (path === changed.path ? changed.text : ts.sys.readFile(path));
	const service = ts.createLanguageService({
		...ts.sys,
		useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
		getCompilationSettings: () => options,
		getScriptFileNames: () => fileNames,
		getScriptVersion: (path) => (path === changed.path ? String(changed.version) : '0'),
		getScriptSnapshot: (path) => {
			const text = textOf(path);
			return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
		},
		getCurrentDirectory: () => root,
		getDefaultLibFileName: ts.getDefaultLibFilePath,
	});
	return (file, text) => {
		changed = { path: join(root, file), text, version: changed.version + 1 };
		return [
			...service.getSyntacticDiagnostics(changed.path),
			...service.getSemanticDiagnostics(changed.path),
		].length;
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
	const draw = drawing(seed);
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
	const faultsOfTypes = typeFaults();
	const drawn: Fault[] = [];
	const isFault = (file: string, changed: string) => {
		const [right, wrong] = [sources.get(file)!, changed].map(compiled);
		if (right === wrong) return false;
		const offset = [...right].findIndex((char, index) => char !== wrong[index]);
		return isExecuted(file, offset) && faultsOfTypes(file, changed) === 0;
	};
	const next = (key: string) => {
		const left = places.get(key) ?? [];
		for (const { file, change } of shuffled(left)) {
			const source = sources.get(file)!;
			const changed = source.slice(0, change.from) + change.text + source.slice(change.to);
			const fault = faultOf(file, source, change);
			const isNew = drawn.every((other) => other.file !== file || other.text !== fault.text);
			if (isNew && isFault(file, changed)) return fault;
		}
		return undefined;
	};
	const own = [...new Set(files.map(areaOf))].sort();
	const order = new Map(own.map((area) => [area, shuffled(Object.keys(kinds))]));
	for (let index = 0; drawn.length < count && index < 20 * count; index++) {
		const area = own[index % own.length];
		const round = Math.floor(index / own.length);
		const kind = order.get(area)![round % Object.keys(kinds).length];
		const fault = next(`${area}: ${kind}`);
		if (fault) drawn.push(fault);
	}
	return drawn;
}
