// Bar charts as SVG, light and dark: what a table says in numbers, to be seen at once.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A chart: groups of bars, one bar of each series in a group. */
export interface Chart {
	/** Its name as a file, without its ending. */
	name: string;
	title: string;
	/** What the bars measure, such as `seconds`. */
	unit: string;
	series: string[];
	groups: Array<{ name: string; values: number[] }>;
}

const themes = {
	light: { text: '#1f2328', faint: '#d0d7de', bars: ['#ff6d5a', '#0969da', '#8c959f', '#bf8700'] },
	dark: { text: '#e6edf3', faint: '#3d444d', bars: ['#ff8a75', '#4493f8', '#9198a1', '#d29922'] },
};

type Theme = keyof typeof themes;

const WIDTH = 760;
const LABELS = 210;
const BAR = 16;
const GAP = 18;
const TOP = 64;

const escaped = (text: string) => text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

const shown = (value: number) =>
	value >= 100 ? String(Math.round(value)) : value.toPrecision(value < 0.1 ? 1 : 2);

/** The chart as SVG. Bars of a group end where its longest says; each one has its number beside it. */
function svgOf({ title, unit, series, groups }: Chart, theme: Theme): string {
	const { text, faint, bars } = themes[theme];
	const height = TOP + groups.length * (series.length * BAR + GAP) + 8;
	const longest = Math.max(...groups.flatMap(({ values }) => values), Number.MIN_VALUE);
	const scale = (WIDTH - LABELS - 80) / longest;
	const parts: string[] = [];
	const write = (x: number, y: number, words: string, more = '') =>
		parts.push(`<text x="${x}" y="${y}" fill="${text}" ${more}>${escaped(words)}</text>`);
	write(0, 18, `${title} (${unit})`, 'font-size="15" font-weight="600"');
	let at = 0;
	for (const [index, name] of series.entries()) {
		parts.push(`<rect x="${at}" y="32" width="12" height="12" rx="2" fill="${bars[index]}"/>`);
		write(at + 18, 43, name);
		at += 40 + name.length * 7;
	}
	let y = TOP;
	for (const { name, values } of groups) {
		write(0, y + (series.length * BAR) / 2 + 4, name);
		parts.push(
			`<line x1="${LABELS}" x2="${LABELS}" y1="${y - 4}" y2="${y + series.length * BAR + 2}" stroke="${faint}"/>`,
		);
		for (const [index, value] of values.entries()) {
			const width = Math.max(1, value * scale).toFixed(1);
			const top = y + index * BAR;
			parts.push(
				`<rect x="${LABELS}" y="${top}" width="${width}" height="${BAR - 3}" rx="2" fill="${bars[index]}"/>`,
			);
			write(LABELS + Number(width) + 6, top + BAR - 5, shown(value), 'font-size="11"');
		}
		y += series.length * BAR + GAP;
	}
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
		`<title>${escaped(`${title} (${unit})`)}</title>`,
		...parts,
		'</svg>',
		'',
	].join('\n');
}

/** How a page shows a chart: the dark one where the reader's page is dark. */
export const pictureOf = ({ name, title, unit }: Chart): string =>
	[
		'<picture>',
		`  <source media="(prefers-color-scheme: dark)" srcset="../images/bench/${name}-dark.svg">`,
		`  <img alt="${escaped(`${title}, in ${unit}: the numbers are in the table`)}" src="../images/bench/${name}-light.svg">`,
		'</picture>',
	].join('\n');

/** Writes a chart in both themes. */
export async function writeChart(folder: string, chart: Chart): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const theme of Object.keys(themes) as Theme[]) {
		await writeFile(join(folder, `${chart.name}-${theme}.svg`), svgOf(chart, theme));
	}
}
