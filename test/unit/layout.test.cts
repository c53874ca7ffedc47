// The house that the code lives in: what may import what. Arrows run one way, from an area of the API to
// the client that sends its requests.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { endpoints } from '../contract/contract.cts';
import { expectNone } from '../none.cts';

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
		const isFolder = existsSync(join(root, file, 'index.ts'));
		const to = file.endsWith('.json') ? file : `${file}${isFolder ? '/index' : ''}.ts`;
		return { from, to, isType: type !== undefined };
	}),
);

/** From the top to the bottom: each may import from its own floor and from those below. */
const floors = [
	'area',
	'api',
	'engine',
	'engine/editor',
	'engine/node',
	'engine/run',
	'engine/form',
	'engine/client',
	'engine/client/list',
	'engine/client/http',
	'engine/client/traffic',
	'engine/base',
];

/** Rooms of the engine that an area sees. What an operation does with the API is a type of the client. */
const seen = [
	'area',
	'api',
	...['', '/editor', '/node', '/form', '/base'].map((room) => `engine${room}`),
];
const SEEN_TYPES = 'nodes/engine/client/steps.ts';

/** Words of paths that are just as good for any other API, or for n8n. A new endpoint may add one. */
const general = `
	connection content event field get list lookup module name page note pause ping property queue request search
	service setting source status store test trace type user workflow action capability code base currency
	evaluation gateway option otp passkey pdf report scheduler document provider risk rotate remove verify key stat
	link box
`.split(/\s+/);

/** What the engine says of n8n's own parts. */
const otherMeanings = /Vector Store|'webhook'|ENV_[A-Z_]+/g;

/** Words in the singular, also those of names such as `customerId`. */
const wordsOf = (text: string) =>
	text
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^a-z]+/)
		.map((word) => word.replace(/ies$/, 'y').replace(/(?<![us])s$/, ''))
		.filter((word) => word.length > 2);

/** The AI sub-nodes are nodes of their own, and share what the AI gateway's area knows. */
const subNodes = ['Embeddings', 'KnowledgeBaseTool', 'Retriever'];

/** It offers the operations of all areas, and none imports it. It runs them itself, so it sees what a run is made of. */
const TOOLKIT = 'ApiTool';
const seenByToolkit = [...seen, 'engine/run', 'engine/client/http'];

function areaOf(file: string): string {
	const area = file.split('/')[1];
	return subNodes.includes(area) ? 'AiGateway' : area;
}

function floorOf(file: string): string {
	const room = dirname(file).replace('nodes/', '');
	return /^(api|engine)\b/.test(room) ? room : 'area';
}

const floor = (file: string) => floors.indexOf(floorOf(file));

const text = ({ from, to }: Arrow) => `${from} imports ${to}`;

test('there are files and arrows', () => {
	expect(files.length).toBeGreaterThan(80);
	expect(arrows.length).toBeGreaterThan(files.length);
	expectNone(
		arrows.filter(({ to }) => !to.startsWith('nodes/') || !existsSync(join(root, to))).map(text),
		'The import leads to no file of nodes/, which are published alone. Move what they need there.',
	);
	expect([...new Set(files.map(floorOf))].sort()).toEqual([...floors].sort());
});

describe('nodes/', () => {
	test('imports only from floors below', () => {
		expectNone(
			arrows.filter(({ from, to }) => floor(to) < floor(from)).map(text),
			'Imports go down only (docs/contributing/architecture.md). Move what is shared to the lower floor, or hand it over as an argument.',
		);
	});

	test('areas import only the front of the engine', () => {
		const deep = arrows.filter(({ from, to, isType }) => {
			const rooms = areaOf(from) === TOOLKIT ? seenByToolkit : seen;
			const isSeenType = isType && to === SEEN_TYPES;
			return floorOf(from) === 'area' && !rooms.includes(floorOf(to)) && !isSeenType;
		});
		expectNone(
			deep.map(text),
			'An area sees the front of the engine only: editor, node, form, base. Hand it what it needs there.',
		);
	});

	test('has an engine without a word of the API', () => {
		const ofApi = new Set(
			endpoints.flatMap(({ path }) => wordsOf(path.replace(/\{\w+\}|\.json/g, ''))),
		);
		for (const word of general) ofApi.delete(word);
		expect([...ofApi]).toEqual(expect.arrayContaining(['customer', 'charge', 'newsletter']));
		const found = files
			.filter((file) => file.startsWith('nodes/engine/'))
			.flatMap((file) => {
				const text = readFileSync(join(root, file), 'utf8').replace(otherMeanings, '');
				const words = wordsOf(text).filter((word) => word === 'platform' || ofApi.has(word));
				return [...new Set(words)].map((word) => `${file}: ${word}`);
			});
		expectNone(
			found,
			'The engine has no word of the API. Move the text to nodes/api, or add a word that is as good for any other API to `general`.',
		);
	});

	test('has no area that imports another', () => {
		const across = arrows
			.filter(
				({ from, to }) =>
					floorOf(from) === 'area' && floorOf(to) === 'area' && areaOf(from) !== areaOf(to),
			)
			.filter(({ from }) => areaOf(from) !== TOOLKIT);
		expectNone(
			across.map(text),
			"Areas don't import one another. Move what they share to nodes/api.",
		);
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
		expectNone(
			files.filter((file) => reaches(file).has(file)),
			'These files import one another in a circle. Move what both need to a file below.',
		);
	});
});
