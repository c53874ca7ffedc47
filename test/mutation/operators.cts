// Faults that operators make of compiled code: a comparison is flipped, a condition dropped, a boolean
// negated, a call left out, a result lost. Which of them are planted, a seed decides.
import ts from 'typescript';
import type { Change } from './copies.cts';

const { SyntaxKind } = ts;

const comparisons: Partial<Record<ts.SyntaxKind, string>> = {
	[SyntaxKind.EqualsEqualsEqualsToken]: '!==',
	[SyntaxKind.ExclamationEqualsEqualsToken]: '===',
	[SyntaxKind.LessThanToken]: '<=',
	[SyntaxKind.LessThanEqualsToken]: '<',
	[SyntaxKind.GreaterThanToken]: '>=',
	[SyntaxKind.GreaterThanEqualsToken]: '>',
};

const logical = [SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken];

/** What an operator makes of a node of the syntax tree, if it is one of its own. */
function faultOf(node: ts.Node): { what: string; from: ts.Node; to: string } | undefined {
	if (ts.isBinaryExpression(node)) {
		const { left, operatorToken } = node;
		const flipped = comparisons[operatorToken.kind];
		if (flipped !== undefined) return { what: 'flipped', from: operatorToken, to: flipped };
		if (!logical.includes(operatorToken.kind)) return undefined;
		return { what: 'condition dropped', from: node, to: left.getText() };
	}
	if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
		return { what: 'negation dropped', from: node, to: node.operand.getText() };
	}
	if (node.kind === SyntaxKind.TrueKeyword) return { what: 'negated', from: node, to: 'false' };
	if (node.kind === SyntaxKind.FalseKeyword) return { what: 'negated', from: node, to: 'true' };
	if (ts.isIfStatement(node)) {
		return { what: 'never so', from: node.expression, to: 'false' };
	}
	if (ts.isExpressionStatement(node) && isCall(node.expression)) {
		return { what: 'call left out', from: node, to: ';' };
	}
	if (ts.isReturnStatement(node) && node.expression !== undefined) {
		return { what: 'result lost', from: node, to: 'return;' };
	}
	return undefined;
}

function isCall(expression: ts.Expression): boolean {
	const called = ts.isAwaitExpression(expression) ? expression.expression : expression;
	return ts.isCallExpression(called) && called.expression.kind !== SyntaxKind.SuperKeyword;
}

/** What the compiler adds. */
const ofCompiler = /^(Object\.defineProperty\(exports|__exportStar|const \w+ = require\()/;

/** All faults of a compiled file. */
export function faultsOf(file: string, code: string): Change[] {
	const source = ts.createSourceFile(file, code, ts.ScriptTarget.ES2022, true);
	const changes: Change[] = [];
	const visit = (node: ts.Node): void => {
		const fault = faultOf(node);
		if (fault !== undefined && fault.from.getText() !== fault.to) {
			const [start, end] = [fault.from.getStart(), fault.from.getEnd()];
			const { line } = source.getLineAndCharacterOfPosition(start);
			const at = code.split('\n')[line].trim();
			changes.push({
				what: `${fault.what}, line ${line + 1}: ${at}`,
				file,
				planted: code.slice(0, start) + fault.to + code.slice(end),
			});
		}
		ts.forEachChild(node, visit);
	};
	source.statements.filter((statement) => !ofCompiler.test(statement.getText())).forEach(visit);
	return changes;
}

/** Some of the entries, the same for the same seed. */
export function sampleOf<T>(entries: readonly T[], count: number, seed: number): T[] {
	const left = [...entries];
	let state = seed;
	const chosen: T[] = [];
	while (chosen.length < count && left.length > 0) {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		chosen.push(...left.splice(Math.floor((state / 2 ** 32) * left.length), 1));
	}
	return chosen;
}
