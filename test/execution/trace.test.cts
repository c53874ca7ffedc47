// The way of one charge of one item through the code: how far somebody who reads it has to jump. The bounds keep it from
// creeping up. TRACE=yes prints the functions in their order, and draws the picture of docs/contributing/architecture.md.
import Module from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { freshNode } from './host/package.cts';
import { byId } from './host/run.cts';
import { runNode } from './host/host.cts';
import { Service } from './host/service.cts';
import { expectNone } from '../none.cts';

const service = Service.forFile();

const nodes = join(__dirname, '../../dist/nodes');

const PAGE = join(__dirname, '../../docs/contributing/architecture.md');

interface Call {
	file: string;
	name: string;
}

const trace = globalThis as typeof globalThis & { enter?: (file: string, name: string) => void };

function nameOf(node: ts.SignatureDeclaration, source: ts.SourceFile): string {
	if (ts.isConstructorDeclaration(node)) return 'constructor';
	const { parent } = node as { parent: { name?: ts.Node } };
	return (node.name ?? parent.name)?.getText(source) ?? 'anonymous';
}

/** Code in which each function says that it's entered. */
function instrumented(file: string): string {
	const text = readFileSync(file, 'utf8');
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const place = JSON.stringify(relative(nodes, file).replace(/\.js$/, ''));
	const inserts: Array<[at: number, text: string]> = [];
	const visit = (node: ts.Node): void => {
		if (ts.isFunctionLike(node) && 'body' in node && node.body) {
			const body = node.body as ts.Node;
			const call = `globalThis.enter?.(${place}, ${JSON.stringify(nameOf(node, source))})`;
			if (ts.isBlock(body)) {
				const parent = body.statements.find((each) => each.getText(source).startsWith('super('));
				inserts.push([parent?.end ?? body.getStart(source) + 1, `${call};`]);
			} else inserts.push([body.getStart(source), `(${call},`], [body.end, ')']);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	// Of two at one place, the closing one is the inner one.
	const sorted = inserts
		.map((each, order) => ({ each, order }))
		.sort((a, b) => b.each[0] - a.each[0] || b.order - a.order);
	return sorted.reduce(
		(all, { each: [at, insert] }) => all.slice(0, at) + insert + all.slice(at),
		text,
	);
}

/** A node whose modules are loaded anew, with their functions instrumented. */
function tracedNode() {
	const { prototype } = Module as unknown as {
		prototype: { _compile(code: string, file: string): void };
	};
	const compile = prototype._compile;
	prototype._compile = function (code, file) {
		compile.call(this, file.startsWith(nodes) ? instrumented(file) : code, file);
	};
	try {
		return freshNode('platformCustomers');
	} finally {
		prototype._compile = compile;
	}
}

const changes = (places: string[]) =>
	places.filter((place, index) => index > 0 && place !== places[index - 1]).length;

const folderOf = ({ file }: Call) =>
	file
		.split('/')
		.slice(0, file.startsWith('engine') ? -1 : 1)
		.join('/');

/** The files in the order in which a charge first enters them, by folder. */
function picture(calls: Call[]): string {
	const files = [...new Set(calls.map(({ file }) => file.replace('engine/', '')))];
	const stages: Array<{ folder: string; names: string[] }> = [];
	for (const file of files) {
		const parts = file.split('/');
		const name = parts.pop() as string;
		const folder = parts.join('/');
		const last = stages.at(-1);
		if (last?.folder === folder) last.names.push(name);
		else stages.push({ folder, names: [name] });
	}
	const lines = stages.map(
		({ folder, names }, index) => `  s${index}["${folder}: ${names.join(', ')}"]`,
	);
	const way = stages.map((_stage, index) => `s${index}`).join(' --> ');
	return ['\n', '```mermaid', 'flowchart TD', ...lines, `  ${way}`, '```', '\n'].join('\n');
}

// The picture is drawn by TRACE=yes npx jest test/execution/trace
test('a charge of one item', async () => {
	service.behave(() => ({ body: { id: 'ch-1', status: 'paid' } }));
	const type = tracedNode();
	const parameters = {
		resource: 'charge',
		operation: 'create',
		customerId: byId('cus-1'),
		services: { service: [{ name: 'Setup', amount: 10 }] },
	};
	const charge = async () =>
		await runNode({
			node: 'platformCustomers',
			types: { platformCustomers: type },
			credential: service.credential,
			parameters,
			mode: 'trigger',
			items: [{ n: 0 }],
		} as never);
	// What only the first run does isn't counted.
	await charge();
	const calls: Call[] = [];
	trace.enter = (file, name) => calls.push({ file, name });
	const { items } = await charge();
	trace.enter = undefined;
	expect(items[0].json).toMatchObject({ id: 'ch-1' });
	// Those of plain data are words that a reader knows, as those of JavaScript are: nobody opens them on the way.
	const steps = calls.filter(({ file }) => file !== 'engine/base/data');
	const found = {
		calls: steps.length,
		functions: new Set(steps.map(({ file, name }) => `${file} ${name}`)).size,
		changesOfFile: changes(steps.map(({ file }) => file)),
		changesOfFolder: changes(steps.map(folderOf)),
	};
	if (process.env.TRACE) {
		console.log(found, calls.map(({ file, name }) => `${file} ${name}`).join('\n'));
	}
	const text = readFileSync(PAGE, 'utf8');
	const drawn = text.replace(/(?<=<!-- the way of a charge, begin -->)[^]*(?=<!-- the way)/, () =>
		picture(calls),
	);
	if (process.env.TRACE) writeFileSync(PAGE, drawn);
	else expect(drawn).toBe(text);
	// With slack, so that only a way that has really become longer fails.
	const most = { calls: 400, functions: 220, changesOfFile: 180, changesOfFolder: 90 };
	expectNone(
		Object.entries(found).filter(([what, count]) => count > most[what as keyof typeof most]),
		'TRACE=yes prints the way. Take out a function that only hands on, or a file that is entered again and again.',
	);
});
