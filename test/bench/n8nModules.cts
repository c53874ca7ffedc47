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

resolver._resolveFilename = function (request, parent, ...rest) {
	return resolve.call(this, request, shared.test(request) ? n8n : parent, ...rest);
};
