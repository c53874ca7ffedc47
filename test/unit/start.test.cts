// What `npm start` does before it starts anything.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { worldFrom } from '../contract/worlds.cts';
import { ensureBuild } from '../start/build.cts';
import { printerOf } from '../start/n8nLog.cts';
import { readSettings } from '../start/settings.cts';

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

test("of n8n's log, the terminal shows what went wrong in a line, and progress", () => {
	const shown: string[] = [];
	const print = printerOf((line) => shown.push(line));
	const lines = [
		{
			level: 'error',
			message: 'Workflow did not finish\n    at run (/n8n/execute.js:1:1)\n    at next',
		},
		{
			level: 'warn',
			message: 'Skipping execution data push: unable to resolve user for redaction',
		},
		{ level: 'info', message: 'Charge: 780 of 2,000 items, about 40 s left' },
		{ level: 'info', message: 'Started' },
	].map((line) => JSON.stringify(line));
	const text = `${lines.join('\n')}\nno JSON\n`;
	for (const part of [text.slice(0, 60), text.slice(60)]) print(part);
	expect(shown).toEqual([
		'n8n: Workflow did not finish',
		'n8n: Charge: 780 of 2,000 items, about 40 s left',
	]);
});

describe('PLATFORM_WORLD', () => {
	const worldIn = (name: string) => readSettings({ PLATFORM_WORLD: name }).world;

	test('is a seed, or a file of choices', () => {
		expect(worldIn('7')).toEqual(worldFrom(7));
		writeFileSync(join(root, 'world.json'), '{"ids": "UUIDs"}');
		expect(worldIn(join(root, 'world.json')).ids).toBe('UUIDs');
	});

	test.each([
		['a file that is not there', undefined, "a file of choices: the file can't be read."],
		['a file that is cut off', '{"ids"', "a file of choices: the file isn't JSON."],
		['a list', '["UUIDs"]', 'The file must hold a JSON object'],
		['nothing', 'null', 'The file must hold a JSON object'],
		['what is no dimension', '{"id": "UUIDs"}', 'There is no dimension id.'],
		['no name of its own', '{"toString": "UUIDs"}', 'There is no dimension toString.'],
		['what is no choice', '{"ids": "none"}', 'ids must be one of: prefix and number'],
	])('%s is refused, and the variable is named', (_what, content, why) => {
		const file = join(root, 'world.json');
		if (content !== undefined) writeFileSync(file, content);
		expect(() => worldIn(file)).toThrow(`PLATFORM_WORLD is '${file}'. `);
		expect(() => worldIn(file)).toThrow(why);
	});
});

describe('which n8n', () => {
	const IMAGE = 'docker.n8n.io/n8nio/n8n:3';

	test.each<[string, NodeJS.ProcessEnv, string[], object]>([
		['the pinned one', {}, [], { image: undefined, n8nUrl: undefined, watch: false }],
		['an image', {}, ['--image', IMAGE], { image: IMAGE }],
		['the image of the environment', { N8N_IMAGE: IMAGE }, [], { image: IMAGE }],
		['one that runs here', {}, ['--external'], { n8nUrl: 'http://localhost:5678' }],
		[
			'one that runs at another port',
			{ N8N_PORT: '1234' },
			['--external'],
			{ n8nUrl: 'http://localhost:1234' },
		],
		['one that runs elsewhere', { N8N_URL: 'http://a:1' }, [], { n8nUrl: 'http://a:1' }],
		['one that loads each change', {}, ['--watch'], { watch: true }],
	])('%s', (_what, env, args, expected) => {
		expect(readSettings(env, args)).toMatchObject(expected);
	});

	test.each([
		[['--external', '--image', IMAGE], "can't go with"],
		[['--external', '--watch'], "can't go with"],
		[['--image'], '--image'],
		[['--imgae', IMAGE], '--imgae'],
	])('%j is refused', (args, why) => {
		expect(() => readSettings({}, args)).toThrow(why);
	});
});
