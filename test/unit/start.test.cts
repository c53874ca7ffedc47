// What `npm start` does before it starts anything.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuild } from '../start/build.cts';

let root: string;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'start-'));
	mkdirSync(join(root, 'nodes'));
	writeFileSync(join(root, 'nodes', 'a.ts'), '1');
	const build = 'mkdir -p dist && cp nodes/a.ts dist/a.js && echo again >> builds';
	writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { build } }));
});

afterEach(() => rmSync(root, { recursive: true }));

const start = async () =>
	await ensureBuild(root, join(root, '.n8n-demo', 'built'), new AbortController().signal);

const builds = () => readFileSync(join(root, 'builds'), 'utf8').split('\n').length - 1;

test('a fresh clone is built, and built again only when something has changed', async () => {
	await start();
	expect(readFileSync(join(root, 'dist', 'a.js'), 'utf8')).toBe('1');
	await start();
	expect(builds()).toBe(1);
	writeFileSync(join(root, 'nodes', 'a.ts'), '22');
	await start();
	expect(readFileSync(join(root, 'dist', 'a.js'), 'utf8')).toBe('22');
	rmSync(join(root, 'dist'), { recursive: true });
	await start();
	expect(builds()).toBe(3);
});
