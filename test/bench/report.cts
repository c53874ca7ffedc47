// Numbers as a reader wants them.
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';

interface Settings {
	/** Node.js for the processes. */
	node: string;
	quick: boolean;
}

/** Measures something; gives the text of one `## ` section of the page. */
export type Section = (settings: Settings) => Promise<string>;

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Seconds below ten with two digits, above with one: `0.43 s`, `25.1 s`. */
export function seconds(milliseconds: number): string {
	return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

export const times = (ratio: number): string => `${ratio.toFixed(2)}x`;
export const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** A Markdown table, its columns aligned for those who read it as text. */
export function table(head: string[], rows: string[][]): string {
	const widths = head.map((_cell, column) =>
		Math.max(3, ...[head, ...rows].map((row) => row[column].length)),
	);
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
	const rule = widths.map((width, column) =>
		column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
	);
	return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** A goal and whether the measured value is within it. */
export function goal(text: string, value: number, bound: { atMost: number } | { atLeast: number }) {
	const met = 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
	return `- ${met ? 'Met' : 'Missed'}: ${text}`;
}

/** What the numbers depend on. */
export function machineFacts(node: string, n8n: string): string {
	return [
		`${cpus().length} cores (${cpus()[0]?.model.trim() || 'unknown'})`,
		`${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
		`${process.platform} ${process.arch}`,
		`clients on Node.js ${node} with the engine of n8n ${n8n}`,
		`server on Node.js ${process.versions.node}`,
	].join(', ');
}

const START = '<!-- results: written by npm run bench -->';
const END = '<!-- end of results -->';

/**
 * Puts a section (`## ...`) into the results of a page, in place of the one with its heading.
 * @param facts what its numbers depend on, as the page says it once; a section of another machine says so itself
 */
export async function writeResults(file: string, section: string, facts: string): Promise<void> {
	const page = await readFile(file, 'utf8');
	const start = page.indexOf(START);
	const end = page.indexOf(END);
	if (start < 0 || end < start) throw new Error(`${file} has no place for results`);
	const [first, ...others] = page.slice(start + START.length, end).split(/^(?=## )/m);
	const headingOf = (each: string) => each.split('\n', 1)[0];
	const heading = headingOf(section);
	const place = others.findIndex((other) => headingOf(other) === heading);
	const isUsual = page.includes(`${START}\n\n${facts}\n`);
	const text = isUsual ? section : `${heading}\n\n${facts}${section.slice(heading.length)}`;
	others.splice(place < 0 ? others.length : place, 1, text);
	const results = [first, ...others].map((each) => each.trim());
	await writeFile(
		file,
		`${page.slice(0, start)}${START}\n\n${results.join('\n\n')}\n\n${page.slice(end)}`,
	);
}
