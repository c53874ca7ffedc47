// Lists of what a test finds wrong, which are meant to be empty.

/**
 * Fails with what was found, one a line, under a sentence that says what to decide or to do.
 * @param found what is wrong
 */
export function expectNone(found: readonly unknown[], advice: string): void {
	const lines = found.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
	expect(lines.length === 0 ? '' : [advice, ...lines].join('\n  ')).toBe('');
}
