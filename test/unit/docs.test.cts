// What the documentation says against what is there: links, pictures, commands, messages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import manifest from '../../package.json';
import { withinBudget } from '../budget.cts';
import { checks } from '../../tools/checks.cts';
import { nodes, table } from '../table/operations.cts';
import { expectNone } from '../none.cts';

const root = join(__dirname, '../..');
const text = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = [
	...['.', 'docs', 'docs/contributing', '.github'].flatMap((folder) =>
		readdirSync(join(root, folder)).map((name) => join(folder, name)),
	),
	'test/README.md',
	'test/sandbox/CHOICES.md',
].filter((path) => path.endsWith('.md'));

const withoutCode = (markdown: string) =>
	markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors that GitHub makes of headings. */
function anchorsOf(markdown: string): Set<string> {
	const headings = markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+\s+(.*)$/gm);
	return new Set(
		[...headings].map(([, heading]) =>
			heading
				.toLowerCase()
				.replace(/[^\p{L}\p{N} _-]/gu, '')
				.replaceAll(' ', '-'),
		),
	);
}

const linksIn = (markdown: string) =>
	[...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);

/** A file that isn't there, or a heading that isn't in it. */
const isBroken = (file: string, anchor?: string) =>
	!existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(text(file)).has(anchor));

describe.each(pages)('%s', (page) => {
	const markdown = text(page);

	test('leads to files, pictures and headings that are there', () => {
		const own = manifest.homepage.replace('#readme', '');
		const raw = own.replace('github.com', 'raw.githubusercontent.com');
		const bases = [`${own}/blob/main/`, `${own}/tree/main/`, `${raw}/main/`];
		const broken = linksIn(withoutCode(markdown)).filter((target) => {
			const base = bases.find((each) => target.startsWith(each));
			if (!base && /^(https?|mailto):/.test(target)) return false;
			const [path, anchor] = target.slice(base?.length ?? 0).split('#');
			if (base) return isBroken(path, anchor);
			return isBroken(path === '' ? page : join(dirname(page), path), anchor);
		});
		expectNone(broken, "Correct the link: the file or the heading isn't there.");
	});

	test('names commands that are there', () => {
		const named = (pattern: RegExp) => [...markdown.matchAll(pattern)].map(([, name]) => name);
		const unknown = [
			...named(/npm run ([\w:-]+)/g).filter((script) => !(script in manifest.scripts)),
			...named(/npm run check\s+([\w:]+)/g).filter((name) => !(name in checks)),
		];
		expectNone(unknown, 'Correct the page: package.json or tools/checks.cts has no such command.');
	});

	test('shows no picture without words for those who cannot see it', () => {
		expect(markdown).not.toMatch(/!\[\s*\]/);
	});
});

test('the links and pictures of README.md work on the page of the package, too', () => {
	const targets = linksIn(withoutCode(text('README.md')));
	expect(targets.length).toBeGreaterThan(20);
	expectNone(
		targets.filter((target) => !/^(https:|#)/.test(target)),
		'Write the link with its whole URL: npm shows README.md, too.',
	);
});

test('every picture and every page is used', () => {
	const all = pages.map(text).join('\n');
	const pictures = readdirSync(join(root, 'docs/images')).map((name) => `images/${name}`);
	const names = pages.filter((page) => page.startsWith('docs')).map((page) => basename(page));
	expectNone(
		[...pictures, ...names].filter((name) => !all.includes(name)),
		'Link it from a page, or remove it.',
	);
});

describe('length', () => {
	/** The words that somebody reads: without comments and targets of links. */
	const words = (markdown: string) =>
		markdown
			.replace(/<!--[\s\S]*?-->/g, '')
			.replace(/\]\([^)\s]+\)|<\/?[a-z][^>]*>/g, ' ')
			.split(/\s+/)
			.filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

	const written = (markdown: string) =>
		markdown.replace(/<!-- ([\w ]+): made by[\s\S]*?<!-- \1: end -->/g, '');

	test('README.md takes a few minutes to read', () => {
		withinBudget('README.md', words(text('README.md')), 1_300, 'words');
	});

	test('all user pages together take half an hour to read', () => {
		const read = pages
			.filter((page) => /^(README|docs\/[\w-]+)\.md$/.test(page))
			.filter((page) => page !== 'docs/operations.md');
		const all = read.map((page) => words(written(text(page)))).reduce((sum, each) => sum + each, 0);
		withinBudget('The pages of a user', all, 9_000, 'words');
	});
});

describe('messages', () => {
	const filesBelow = (folder: string, ending: string) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith(ending))
			.map((name) => join(folder, name));

	/** All that the package can say, and what the API can, as the contract has it. */
	const said = [
		...filesBelow('nodes', '.ts'),
		...filesBelow('credentials', '.ts'),
		...filesBelow('test/contract', '.yaml'),
	]
		.map(text)
		.join('\n')
		// An escaped quote is one.
		.replace(/\\(['"`])/g, '$1');

	/** Said by n8n, not by the package. */
	const others = [
		'Error in sub-node',
		'This credential is configured to prevent use within an',
		'Unrecognized node type',
	];

	/** Quoted messages in the first column of tables, without what differs each time. */
	const quoted = (page: string) =>
		[...text(page).matchAll(/^\| ([^|]*`[^|]*) \|/gm)].flatMap(([, cell]) =>
			[...cell.matchAll(/`([^`]+)`/g)].flatMap(([, message]) =>
				message
					.split(/\.\.\.|"\.\.\."/)
					.map((part) => part.trim())
					.filter((part) => part.length > 3),
			),
		);

	test('docs/troubleshooting.md quotes real messages', () => {
		const page = 'docs/troubleshooting.md';
		const known = (part: string) =>
			said.includes(part) ||
			others.includes(part) ||
			// `"Events" must ...` begins with the name of the field, which the engine puts in front.
			said.includes(part.replace(/^"[^"]+" /, ''));
		const messages = quoted(page).filter((part) => !/^[\w-]+\.?[\w-]*$/.test(part));
		expect(messages.length).toBeGreaterThan(5);
		expectNone(
			messages.filter((part) => !known(part)),
			'The page quotes a message that nothing says anymore. Quote the new one, or remove the row.',
		);
	});
});

describe('docs/which-node.md', () => {
	const page = text('docs/which-node.md');

	test('names operations that exist', () => {
		const named = [...page.matchAll(/\| ([\w -]+) → ([\w -]+) → ([\w -]+?) +\|/g)]
			.map(([, node, resource, operation]) => `Platform ${node} › ${resource} › ${operation}`)
			.filter((title) => !title.startsWith('Platform Node '));
		expect(named.length).toBeGreaterThan(20);
		const known = [...table.map(({ title }) => title), 'Platform Webhooks › Delivery › Keep New'];
		expectNone(
			named.filter((title) => !known.includes(title)),
			"Correct the page: there's no such operation.",
		);
	});

	test('leads to every example', () => {
		const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.json'));
		expectNone(
			examples.filter((name) => !page.includes(`(../examples/${name})`)),
			'Add the example to docs/which-node.md.',
		);
	});
});

test('docs/triggers.md names fields, options and events as the forms do', () => {
	/** Words of n8n, of the credential, and beginnings of sentences. */
	const others = [
		...['Dry Run', 'Remove Duplicates', 'Fetch Test Event', 'Before', 'If it has happened already'],
		// Two events end so.
		'No Longer Listed',
	];
	const labelsIn = (value: unknown): string[] => {
		if (typeof value !== 'object' || value === null) return [];
		const { displayName, name } = value as Record<string, unknown>;
		const own = [displayName, name].filter((each) => typeof each === 'string');
		return [...own, ...Object.values(value).flatMap(labelsIn)];
	};
	const labels = new Set(nodes.flatMap(({ description }) => labelsIn(description)));
	const bold = text('docs/triggers.md')
		.replace(/\s+/g, ' ')
		.matchAll(/\*\*([A-Z][^*]*)\*\*/g);
	const named = [...bold].flatMap(([, words]) => words.split(/ → |: /));
	expect(named.length).toBeGreaterThan(30);
	expectNone(
		named.filter((name) => !labels.has(name) && !others.includes(name)),
		'The page has these words in bold, but no form does. Use the words of the form, or add them to `others`.',
	);
});

describe('comments', () => {
	/** CONTRIBUTING.md asks for the field's words, and for a noun or a verb at the beginning. */
	const forbidden =
		/\b(nobody|whoever|an affair of|the other one|answer(s|ed|ing)?)\b|^\/\*\*\s+\*?\s*(what|whether|who|where|how|those)\b/gi;

	/** A DNS answer is one. */
	const allowed = /^nodes\/Dns\//;

	const files = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' })
		.map((name) => `nodes/${name}`)
		.filter((name) => name.endsWith('.ts') && !allowed.test(name));

	test('are in plain words', () => {
		const found = files.flatMap((file) => {
			const comments = text(file).match(/\/\*[\s\S]*?\*\/|(?<![:'"])\/\/[^\n]*/g) ?? [];
			return comments.flatMap((each) => each.match(forbidden) ?? []).map((word) => [file, word]);
		});
		expectNone(
			found,
			'Use the words of CONTRIBUTING.md (Wording), and begin a doc comment with a noun or a verb.',
		);
	});
});
