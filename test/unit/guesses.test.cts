// What no text for users says any more: the references don't say it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

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

/** Guesses that texts once told as facts, and what the references say instead. */
const guesses: Array<[RegExp, string]> = [
	[
		/the unit that the subscription counts/,
		'core, Customer: usage `amount` number, without a unit',
	],
	[
		/API can't (restore|list)/,
		'core: "permanent" is said of content only, and of plans that they are listed',
	],
	[
		/fields that are sure/,
		'core, Customer: `first_name`, `last_name` and `tags` are shown for writes',
	],
	[
		/Session ID|Passkey ID/,
		'core, Identity: the meaning of `sentinel.id` and `credentialId` is not shown',
	],
	[/vendor_[a-d]\b(?!')/, 'gateway, Provider: neutral words in place of names that users see'],
	[
		/[Dd]eletions and properties\*{0,2} are queued/,
		'core, Customers: "(queued)" is said of deletions only',
	],
	[/keep its record/, 'core, States: dismiss makes `next_renew` null'],
	[/come once/, 'core, Webhook: only the token of a webhook is shown once'],
	[/updateStatus move money/, 'core, States: what `paid` does is not shown beyond its fees'],
	[/Name the parts as in the example/, 'core, DNS: the shape of a resolver is not shown'],
	[/144,000/, 'a full last page of 10,000 rows takes one more request'],
	[/after 50 pages/, '1,000 pages more than announced'],
];

test.each(guesses)('no text for users says %s: %s', (guess) => {
	const saying = files.filter((file) => {
		const text = read(file);
		return guess.test(flat(file.endsWith('.ts') ? withoutComments(text) : text));
	});
	expect(saying).toEqual([]);
});
