// A process that loads the files of nodes as n8n does when it starts, and prints how long it took and how large their
// descriptions are, which the editor loads once. What n8n itself has loaded by then doesn't count.
const { createRequire } = require('node:module');
const { basename, join } = require('node:path');

const files = process.argv.slice(2);
createRequire(join(__dirname, '../n8n/package.json'))('n8n-core');
for (const file of files) createRequire(file)('n8n-workflow');

const begin = performance.now();
const types = files.map((file) => new (require(file)[basename(file).split('.')[0]])());
const milliseconds = performance.now() - begin;

const described = types.map(({ description, nodeVersions }) => [
	description,
	Object.values(nodeVersions ?? {}).map((each) => each.description),
]);
console.log(JSON.stringify({ milliseconds, kilobytes: JSON.stringify(described).length / 1000 }));
