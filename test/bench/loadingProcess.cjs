// Loads a package as n8n does at its start, in a process of its own without any other loader, and
// prints what that took: `node --expose-gc loading-process.cjs <folder of the package>`.
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { gzipSync } = require('node:zlib');

const fromN8n = createRequire(join(__dirname, '../n8n/package.json'));
fromN8n('reflect-metadata');
const { PackageDirectoryLoader } = fromN8n('n8n-core');

async function main() {
	global.gc();
	const before = process.memoryUsage();
	const start = performance.now();
	const loader = new PackageDirectoryLoader(process.argv[2]);
	await loader.loadAll();
	const milliseconds = performance.now() - start;
	const resident = process.memoryUsage().rss - before.rss;
	global.gc();
	const { nodes, credentials } = loader.types;
	const descriptions = JSON.stringify(nodes);
	console.log(
		JSON.stringify({
			milliseconds,
			residentMegabytes: resident / 1e6,
			heapMegabytes: (process.memoryUsage().heapUsed - before.heapUsed) / 1e6,
			nodes: nodes.length,
			credentials: credentials.length,
			descriptionBytes: Buffer.byteLength(descriptions),
			compressedBytes: gzipSync(descriptions).length,
		}),
	);
}

void main();
