// Preloaded into measured processes: n8n's own modules come from the real n8n in test/n8n, for the
// package and for everything that it is measured against. Two instances of n8n-workflow in one
// process would not know each other's classes.
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';

const fromN8n = createRequire(join(__dirname, '../n8n/package.json'));
const shared = /^(n8n-core|n8n-workflow|n8n-nodes-base|@n8n\/.+)(\/|$)/;

/** The function by which `require` finds a file; Node's types do not show it. */
interface Resolver {
	_resolveFilename(request: string, parent: unknown, ...rest: unknown[]): string;
}

const resolver = Module as unknown as Resolver;
const resolve = resolver._resolveFilename;
const n8n = new Module(join(__dirname, '../n8n/package.json'));
n8n.filename = n8n.id;
n8n.paths = fromN8n.resolve.paths('n8n-core') ?? [];

/** Where the package is built, and where another build of it is, if that is to be measured. */
const root = join(__dirname, '../../');
const other = process.env.BENCH_BUILD;

resolver._resolveFilename = function (request, parent, ...rest) {
	const file = resolve.call(this, request, shared.test(request) ? n8n : parent, ...rest);
	if (other === undefined || !file.startsWith(root)) return file;
	const path = file.slice(root.length);
	// What nodes there are, it says itself.
	return path === 'package.json' || path.startsWith('dist/') ? join(other, path) : file;
};
