// The end of the time for an answer: shared by requests that begin together, never too early.
import { Deadlines } from '../../dist/nodes/shared/client/http/deadlines.js';

test('requests that begin within a fifth of a second end together, later ones later', () => {
	const deadlines = new Deadlines(60_000);
	const first = deadlines.begin(1000);
	expect(deadlines.begin(1199)).toBe(first);
	const second = deadlines.begin(1200);
	expect(second).not.toBe(first);
	expect(deadlines.begin(1399)).toBe(second);
});

test('a clock that is set back begins a new time', () => {
	const deadlines = new Deadlines(60_000);
	const first = deadlines.begin(3_600_000);
	expect(deadlines.begin(0)).not.toBe(first);
});

test('none ends before its time', async () => {
	const deadlines = new Deadlines(100);
	const begun = performance.now();
	deadlines.begin(0);
	const last = deadlines.begin(199);
	await new Promise<void>((resolve) => last.waiting.add(resolve));
	expect(last.isOver).toBe(true);
	// A timer of Node.js may be early by a fraction of a millisecond.
	expect(performance.now() - begun).toBeGreaterThan(199 + 100 - 1);
});
