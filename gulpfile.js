// The package as it's published, in dist: compiled code, icons, codex files, and output schema previews, which are made of
// the operation table and the contract.
//
//   npm run build             gulp build: all of it, with the types checked
//   npm run check compile     gulp compile: the same code in a quarter of the time, unchecked
//   gulp watch --outDir DIR   compiles each change of the nodes, and copies each change of an icon or a codex file
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { rm } = require('node:fs/promises');
const { join } = require('node:path');
const { dest, parallel, series, src, watch } = require('gulp');

const [, outDir = 'dist'] = /--outDir[ =](\S+)/.exec(process.argv.slice(2).join(' ')) ?? [];

/** What the compiler doesn't write. */
const files = ['icons/*.svg', 'nodes/**/*.json'];

/** Runs a program of Node.js with its own output. */
async function run(...args) {
	const child = spawn(process.execPath, args, { cwd: __dirname, stdio: 'inherit' });
	// So that the compiler of `watch` ends with it.
	const end = () => child.kill();
	process.once('exit', end);
	const [code, signal] = await once(child, 'exit');
	process.off('exit', end);
	if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code ?? signal}`);
}

const compiler = require.resolve('typescript/bin/tsc');

const tool = (name) => ['--require', 'tsx/cjs', join('tools', name)];

const clean = async () => await rm(join(__dirname, 'dist'), { recursive: true, force: true });

const copy = () => src(files, { base: '.', encoding: false }).pipe(dest(outDir));

const types = async () => await run(compiler);

const transpile = async () => await run(...tool('transpile.cts'));

/** They are made of what has just been compiled. */
const previews = async () => await run(...tool('previews.cts'));

// The compiler writes JSON files, too, in a format of its own: so they are copied after it.
exports.build = series(clean, types, copy, previews);
exports.compile = series(clean, transpile, copy, previews);
exports.watch = parallel(
	async () => await run(compiler, '--watch', '--preserveWatchOutput', '--outDir', outDir),
	() => watch(files, copy),
);
exports.default = exports.build;
