// The guides of docs/contributing/guides.md as steps. A block of code whose first line names a file is a change:
//
//     ```ts nodes/Dns/lookup.ts after "operations: ["
//
// puts the code behind the one line that holds the text, indented as that line is; `before` and
// `instead` do as they say, `instead "…" to "…"` for several lines, `new` makes the file. Blocks of
// `sh` are the commands to run then.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One change of one file. */
export interface Change {
	file: string;
	/** Where the text goes. */
	place: 'new' | 'after' | 'before' | 'instead';
	/** A part of the line that the place is at. */
	anchor: string;
	/** A part of the last line that goes, if there are several. */
	end?: string;
	text: string;
}

/** One section of the page that tells what to change. */
export interface Guide {
	name: string;
	/** The guide to follow first. */
	first?: string;
	changes: Change[];
	commands: string[];
}

const PAGE = 'docs/contributing/guides.md';

const changeLine = /^\w+ (\S+\.\w+) (?:(new)|(after|before|instead) "(.+?)"(?: to "(.+)")?)$/;

function changeOf(info: string, text: string): Change[] {
	const [, file, isNew, place, anchor = '', end] = changeLine.exec(info) ?? [];
	if (file === undefined) return [];
	return [{ file, place: isNew ? 'new' : (place as Change['place']), anchor, end, text }];
}

function guideOf(section: string): Guide {
	const name = section.slice(0, section.indexOf('\n')).trim();
	// A block in a list is indented.
	const blocks = [...section.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map(
		([, indent, info, text]) => ({
			info,
			text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
		}),
	);
	return {
		name,
		first: /first follow\s+\[([^\]]+)\]\(#/i.exec(section)?.[1],
		changes: blocks.flatMap(({ info, text }) => changeOf(info, text)),
		commands: blocks
			.filter(({ info }) => info === 'sh')
			.flatMap(({ text }) => text.trim().split('\n')),
	};
}

/** All guides of the page. */
export function guides(root: string): Guide[] {
	const page = readFileSync(join(root, PAGE), 'utf8');
	const sections = page.split(/^## /m).slice(1).map(guideOf);
	return sections.filter(({ changes }) => changes.length > 0);
}

/** The line of a file that holds a text. */
function lineOf(lines: string[], { file }: Change, anchor: string): number {
	const found = lines.flatMap((line, index) => (line.includes(anchor) ? [index] : []));
	if (found.length !== 1) throw new Error(`${file} has ${found.length} lines with ${anchor}`);
	if (/^\s*(\/\/|\/?\*)/.test(lines[found[0]])) {
		throw new Error(`${file} has ${anchor} in a comment, whose words may change`);
	}
	return found[0];
}

/** A file with a change in it. */
export function changed(root: string, change: Change): string {
	const { file, place, text } = change;
	if (place === 'new') return text;
	const lines = readFileSync(join(root, file), 'utf8').split('\n');
	const index = lineOf(lines, change, change.anchor);
	const last = change.end === undefined ? index : lineOf(lines, change, change.end);
	const indent = /^\s*/.exec(lines[index])?.[0] ?? '';
	const added = text
		.trimEnd()
		.split('\n')
		.map((line) => (line === '' ? line : indent + line));
	lines.splice(
		index + (place === 'after' ? 1 : 0),
		place === 'instead' ? last - index + 1 : 0,
		...added,
	);
	return lines.join('\n');
}

/** Makes the changes of a guide in a copy of the repository. */
export function follow(root: string, { changes }: Guide): void {
	for (const change of changes) {
		const text = changed(root, change);
		mkdirSync(dirname(join(root, change.file)), { recursive: true });
		writeFileSync(join(root, change.file), text);
	}
}
