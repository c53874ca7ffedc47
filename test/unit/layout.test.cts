// The house that the code lives in: what may import what. Arrows run one way, from an area of the API to
// the client that sends its requests.
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

const root = join(__dirname, '../..');

/** One import of a file: the file that it names, and whether the compiler leaves it out. */
interface Arrow {
	from: string;
	to: string;
	/** `import type`: nothing of it is left in the compiled file. */
	isType: boolean;
}

const files = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.ts'))
	.map((name) => `nodes/${name}`);

const imports = /^(?:import|export)\s+(type\s)?[^;']*?from\s+'(\.[^']+)'/gm;

const arrows = files.flatMap((from): Arrow[] =>
	[...readFileSync(join(root, from), 'utf8').matchAll(imports)].map(([, type, path]) => {
		const file = normalize(join(dirname(from), path));
		const to = file.endsWith('.json') ? file : `${file}.ts`;
		return { from, to, isType: type !== undefined };
	}),
);

/** What everything may import: the API and its paths, the nouns, and helpers that know neither. */
const common = [
	'endpoints.ts',
	'path.ts',
	'operation.ts',
	'fields.ts',
	'dotted.ts',
	'names.ts',
	'nearest.ts',
	'pool.ts',
].map((name) => `nodes/shared/${name}`);

/** From the top to the bottom: each may import from its own floor and from those below. */
const floors = ['area', 'top', 'run', 'form', 'client', 'list', 'http', 'traffic', 'common'];

/** The AI sub-nodes are nodes of their own, and share what the AI gateway's area knows. */
const subNodes = ['Embeddings', 'KnowledgeBaseTool', 'Retriever'];

/** It offers the operations of all areas, and none imports it. */
const TOOLKIT = 'ApiTool';

function areaOf(file: string): string {
	const area = file.split('/')[1];
	return subNodes.includes(area) ? 'AiGateway' : area;
}

function floorOf(file: string): string {
	const [, area, folder, name, inRoom] = file.split('/');
	if (area !== 'shared') return 'area';
	if (common.includes(file)) return 'common';
	if (name === undefined) return 'top';
	return inRoom === undefined ? folder : name;
}

const floor = (file: string) => floors.indexOf(floorOf(file));

const text = ({ from, to }: Arrow) => `${from} imports ${to}`;

test('there are files and arrows', () => {
	expect(files.length).toBeGreaterThan(80);
	expect(arrows.length).toBeGreaterThan(files.length);
	expect(arrows.filter(({ to }) => !existsSync(join(root, to))).map(text)).toEqual([]);
	expect([...new Set(files.map(floorOf))].sort()).toEqual([...floors].sort());
});

describe('nodes/', () => {
	test('imports nothing from outside', () => {
		expect(arrows.filter(({ to }) => !to.startsWith('nodes/')).map(text)).toEqual([]);
	});

	test('has arrows that run down only', () => {
		// A noun may name a type that has its home below: a format, an answer.
		const isNamed = ({ from, isType }: Arrow) => isType && common.includes(from);
		const up = arrows.filter(({ from, to }) => floor(to) < floor(from));
		expect(up.filter((arrow) => !isNamed(arrow)).map(text)).toEqual([]);
	});

	test('has areas that see the top of shared only', () => {
		const deep = arrows.filter(
			({ from, to }) =>
				floorOf(from) === 'area' && !['area', 'top', 'common'].includes(floorOf(to)),
		);
		expect(deep.map(text)).toEqual([]);
	});

	test('has no area that imports another', () => {
		const across = arrows
			.filter(
				({ from, to }) =>
					floorOf(from) === 'area' && floorOf(to) === 'area' && areaOf(from) !== areaOf(to),
			)
			.filter(({ from }) => areaOf(from) !== TOOLKIT);
		expect(across.map(text)).toEqual([]);
	});

	test('has no circles', () => {
		const targets = new Map(
			files.map((file) => [file, arrows.filter(({ from }) => from === file).map(({ to }) => to)]),
		);
		const reaches = (file: string, seen = new Set<string>()): Set<string> => {
			for (const to of targets.get(file) ?? []) {
				if (seen.has(to)) continue;
				seen.add(to);
				reaches(to, seen);
			}
			return seen;
		};
		expect(files.filter((file) => reaches(file).has(file))).toEqual([]);
	});

	test('has one file of a name, but for what is the same in several areas', () => {
		/** The fields that the resources of an area share, and a resource that two areas have. */
		const alike = ['fields.ts', 'subscription.ts'];
		const names = files.map((file) => basename(file)).filter((name) => !alike.includes(name));
		expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
	});
});
