// What users read about open things is listed (test/contract/told.cts), whole and as it stands.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { MARK, told } from '../contract/told.cts';
import { dimensionNames } from '../contract/worlds.cts';

const ROOT = join(__dirname, '..', '..');

/** Pages for those who work on the package, and lists that are made of the forms. */
const isNotForUsers = (file: string) =>
	file.startsWith('docs/contributing/') || file === 'docs/operations.md';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const filesIn = (folder: string) =>
	readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.(ts|md|json)$/.test(entry.name))
		.map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

const files = [
	'README.md',
	...['nodes', 'credentials', 'examples', 'docs'].flatMap(filesIn),
].filter((file) => !isNotForUsers(file) && !file.includes('__schema__'));

/** On one line, so that where a page breaks a line doesn't matter. */
const flat = (text: string) => text.replace(/\s+/g, ' ');

const withoutComments = (text: string) =>
	text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|\s)\/\/ .*$/gm, '');

test.each(told)('$file says: $says', ({ file, says, of }) => {
	expect(flat(read(file))).toContain(says);
	if (!/^(core|gateway), /.test(of)) expect(dimensionNames).toContain(of);
	expect(says).toMatch(MARK);
});

test.each(files)('%s speaks of nothing else that is open', (file) => {
	let text = flat(file.endsWith('.ts') ? withoutComments(read(file)) : read(file));
	for (const each of told.filter((one) => one.file === file)) {
		text = text.replaceAll(each.says, '');
	}
	const found = MARK.exec(text);
	expect(found && text.slice(found.index - 60, found.index + 80)).toBeNull();
});
