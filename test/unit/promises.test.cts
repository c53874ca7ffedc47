// The table of promises: what it quotes stands on the pages, each road has its proof, and each part of a page has a promise.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promises, roadsOf, type Proof } from '../table/promises.cts';
import { expectNone } from '../none.cts';

const root = join(__dirname, '../..');
const plain = (text: string) => text.replace(/\s+/g, ' ');
const page = (name: string) => readFileSync(join(root, 'docs', `${name}.md`), 'utf8');
const source = (file: string) => readFileSync(join(root, 'test', `${file}.test.cts`), 'utf8');

const pages = ['money', 'reliability', 'triggers', 'ai'];
const pageOf = (id: string) => id.split(' ')[0];

/** Parts of the pages that promise nothing: how to set something up, and what it costs. */
const told = [
	...['From an empty canvas to an agent with sources', 'Built by an AI', 'What tools cost'],
	...['What it needs', 'After changes', 'Uninstalling', 'Documents'],
	'Platform Knowledge Base Retriever',
	'Platform Knowledge Base Tool',
];

/** The texts of a page by the heading above them. */
function partsOf(name: string): Array<[heading: string, text: string]> {
	const [, ...parts] = page(name).split(/^##+ /m);
	return parts.map((part) => {
		const [heading, ...lines] = part.split('\n');
		return [heading, plain(lines.join('\n'))];
	});
}

const all = Object.entries(promises);

test.each(all)('%s stands on its page', (id, { says }) => {
	expect(plain(page(pageOf(id)))).toContain(says);
});

test.each(all)('%s has a proof on each road', (_id, { roads, proof }) => {
	const proofs = Array.isArray(proof) ? [proof as Proof] : Object.values(proof);
	for (const [file, title] of proofs) expect(source(file)).toContain(title);
	if (roads === undefined) return;
	const kind: string[] | { walks: string } = roadsOf[roads];
	if (Array.isArray(kind)) return expect(Object.keys(proof).sort()).toEqual([...kind].sort());
	// Its test walks the table, so a road that is added there is proven, or red.
	const [file] = proofs[0];
	const isWalked = source(file).includes(kind.walks) || source(file).includes('table/places.cts');
	const advice =
		'Its test must walk the table of its roads, or the promise name a proof for each road.';
	expectNone(isWalked ? [] : [file], advice);
});

test.each(pages.flatMap((name) => partsOf(name).map(([heading, text]) => [name, heading, text])))(
	'%s: "%s" has a promise, or only tells how',
	(name, heading, text) => {
		const own = all.filter(([id, { says }]) => pageOf(id) === name && text.includes(says));
		// A part that has parts of its own may have none.
		const isShort = text.length < 260;
		const isPromised = own.length > 0 || told.includes(heading) || isShort;
		expectNone(
			isPromised ? [] : [heading],
			'Add what the part promises to test/table/promises.cts, or its heading to `told` if it promises nothing.',
		);
		expectNone(
			own.length > 0 && told.includes(heading) ? [heading] : [],
			'Take the heading out of `told`: the part has a promise.',
		);
	},
);
