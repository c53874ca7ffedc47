// What the sections of the benchmark have in common.
import type { Chart } from './charts.cts';

export interface Settings {
	/** Node.js for the processes. */
	node: string;
	quick: boolean;
	/** Keeps a chart; gives what shows it on the page. */
	draw(chart: Chart): string;
}

/** Measures something; gives the text of one `## ` section of the page. */
export type Section = (settings: Settings) => Promise<string>;
