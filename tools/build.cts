// `npm run build`: the package as it is published. Compiled code, icons, codex files, and output schema previews, which
// are made of the operation table and the contract. What follows `--` goes to the compiler, such as `--watch`.
// `--no-types` compiles each file by itself: the same code in a quarter of the time, unchecked.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');
const dist = join(root, 'dist');

function write(path: string, text: string): void {
	mkdirSync(dirname(join(dist, path)), { recursive: true });
	writeFileSync(join(dist, path), text);
}

const configuration = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);

const { options } = ts.parseJsonConfigFileContent(configuration.config, ts.sys, root);

/** The compiled code of one source file, as the compiler writes it. */
export function compiled(source: string): string {
	return ts.transpileModule(source, { compilerOptions: { ...options, declaration: false } })
		.outputText;
}

/** Files below a folder with this ending, as paths from the root. */
const files = (folder: string, ending: string) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith(ending))
		.map((path) => `${folder}/${path}`);

function compileEach(): void {
	for (const path of [...files('credentials', '.ts'), ...files('nodes', '.ts')]) {
		write(path.replace(/\.ts$/, '.js'), compiled(readFileSync(join(root, path), 'utf8')));
	}
}

/** Runs a program with its own output; true if it succeeds. */
function succeeds(...args: string[]): boolean {
	const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
	return status === 0;
}

function build(args: string[]): void {
	rmSync(dist, { recursive: true, force: true });
	const isUnchecked = args[0] === '--no-types';
	if (isUnchecked) compileEach();
	const isCompiled = isUnchecked || succeeds(require.resolve('typescript/bin/tsc'), ...args);
	for (const path of [...files('icons', '.svg'), ...files('nodes', '.json')]) {
		cpSync(join(root, path), join(dist, path));
	}
	// They are made of what has just been compiled.
	if (isCompiled && succeeds('--require', 'tsx/cjs', join(__dirname, 'previews.cts'))) return;
	process.exitCode = 1;
}

if (require.main === module) build(process.argv.slice(2));
