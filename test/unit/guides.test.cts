// The guides of docs/contributing/guides.md against the code as it is: each change has its place. That the tests
// are green after them is tried by `npm run check guides`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../copy.cts';
import { changed, guides, type Change } from '../guide/guides.cts';
import { expectNone } from '../none.cts';

const all = guides(root);

test('there are the guides that the contributors need', () => {
	expect(all.map(({ name }) => name)).toEqual([
		'Adding an endpoint',
		'Adding an area',
		'Changing how a refusal is handled',
		'Adding a format',
		'A picker for a new list',
		'Paging of a list',
		'A Safety Limit',
		'A second header of the credential',
	]);
	expectNone(
		all.filter(({ commands }) => commands.length === 0),
		'End the guide with the commands that check it, in a block of `sh`.',
	);
});

/** The reason why a change has no place. */
function problemOf(change: Change): string | undefined {
	try {
		changed(root, change);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

describe.each(all)('$name', (guide) => {
	test('has its places', () => {
		const first = all.find(({ name }) => name === guide.first)?.changes ?? [];
		// What the first one makes is tried by `npm run check guides`.
		const isMade = ({ file, anchor }: Change) =>
			first.some(
				(each) => each.file === file && (each.place === 'new' || each.text.includes(anchor)),
			);
		for (const change of guide.changes.filter((each) => !isMade(each))) {
			const isNew = !existsSync(join(root, change.file));
			expect([change.file, isNew]).toEqual([change.file, change.place === 'new']);
			expectNone(
				[problemOf(change)].filter((problem) => problem !== undefined),
				'The guide no longer fits the code. Change its text and anchor; if the repository has its example now, take another one.',
			);
		}
	});

	// Scripts and checks that a page names: docs.test.cts.
	test('names tests that are there', () => {
		const words = guide.commands.flatMap((command) => command.split(' '));
		const tests = words.filter((word) => word.startsWith('test/'));
		const isThere = (path: string) => existsSync(join(root, path));
		expectNone(
			tests.filter((each) => !isThere(`${each}.test.cts`) && !isThere(each)),
			"The guide names a test that isn't there.",
		);
	});
});
