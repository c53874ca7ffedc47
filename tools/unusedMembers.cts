// Members of classes that no node uses, which knip doesn't see. Those that n8n calls by their name, as its interfaces say, are used.
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');

/** Names of members that the interfaces of a class ask for. */
function askedFor(each: ts.ClassDeclaration, checker: ts.TypeChecker): string[] {
	const types = (each.heritageClauses ?? []).flatMap(({ types }) => [...types]);
	return types.flatMap((type) =>
		checker
			.getTypeAtLocation(type)
			.getProperties()
			.map(({ name }) => name),
	);
}

/** What a name stands for where it's used. Empty where it's declared. */
function declarationsOf(
	node: ts.Identifier | ts.PrivateIdentifier,
	checker: ts.TypeChecker,
): ts.Declaration[] {
	const { parent } = node;
	const isDeclared = ts.isClassElement(parent) || ts.isParameter(parent);
	const symbol = isDeclared ? undefined : checker.getSymbolAtLocation(node);
	// `{ member }` takes it from its type.
	const isTaken = ts.isBindingElement(parent) && parent.propertyName === undefined;
	const taken = isTaken
		? checker.getTypeAtLocation(parent.parent).getProperty(node.text)
		: undefined;
	return [...(symbol?.declarations ?? []), ...(taken?.declarations ?? [])];
}

/** Each member as `file: Class.member`. */
function unusedMembers(): string[] {
	const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
	const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const program = ts.createProgram(fileNames, { ...options, noEmit: true });
	const checker = program.getTypeChecker();
	const members = new Map<ts.Declaration, string>();
	const used = new Set<ts.Declaration | undefined>();
	/** Names that are used by an interface or a type, which a class may have without naming it. */
	const byShape = new Set<string>();
	const visit = (node: ts.Node): void => {
		if (ts.isClassDeclaration(node)) {
			const asked = askedFor(node, checker);
			const constructor = node.members.find(ts.isConstructorDeclaration);
			const inParameters = (constructor?.parameters ?? []).filter((each) =>
				ts.isParameterPropertyDeclaration(each, each.parent),
			);
			for (const member of [...node.members, ...inParameters]) {
				const name = member.name?.getText();
				if (name === undefined || asked.includes(name)) continue;
				const file = relative(root, node.getSourceFile().fileName);
				members.set(member, `${file}: ${node.name?.text}.${name}`);
			}
		}
		if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
			for (const each of declarationsOf(node, checker)) {
				used.add(each);
				if (ts.isTypeElement(each)) byShape.add(node.text);
			}
		}
		ts.forEachChild(node, visit);
	};
	// Not those of node_modules.
	for (const name of program.getRootFileNames()) visit(program.getSourceFile(name)!);
	const isUsed = (member: ts.Declaration, name: string) =>
		used.has(member) || byShape.has(name.split('.').at(-1) ?? '');
	return [...members].filter(([member, name]) => !isUsed(member, name)).map(([, name]) => name);
}

const unused = unusedMembers();
if (unused.length > 0) {
	console.log(`Remove these members, which no node uses:\n  ${unused.join('\n  ')}`);
	process.exitCode = 1;
}
