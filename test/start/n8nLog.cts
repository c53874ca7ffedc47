// What of n8n's log a demo shows: what went wrong, and how far a long run is.

/** As the nodes tell it: `Charge: 780 of 2,000 items, about 40 s left`. */
const PROGRESS = /: [\d,]+ of [\d,]+ items, about /;

/** What n8n says of itself, and nobody can do anything about. */
const NOISE = /^Skipping execution data push/;

/** A message may go on with a stack trace, which tells nothing to those who try the package. */
const firstLine = (message: string) => message.trim().split('\n')[0];

interface Line {
	level: string;
	message: string;
}

function lineOf(text: string): Line | undefined {
	try {
		return JSON.parse(text) as Line;
	} catch {
		// What n8n prints while it starts is no JSON.
		return undefined;
	}
}

/** Returns a function that takes n8n's output, as JSON and in any pieces, and prints what matters. */
export function printerOf(print: (line: string) => void): (output: string) => void {
	let rest = '';
	return (output) => {
		const lines = (rest + output).split('\n');
		rest = lines.pop() ?? '';
		for (const text of lines) {
			const { level, message } = lineOf(text) ?? { level: '', message: '' };
			const isWrong = (level === 'warn' || level === 'error') && !NOISE.test(message);
			if (isWrong || PROGRESS.test(message)) print(`n8n: ${firstLine(message)}`);
		}
	};
}
