// Constants of the nodes for tests that try both sides of one, by its name: a limit, a size, a count or a time.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(__dirname, '../dist/nodes');

/** All numbers that a module of the built package has as a constant, such as `engine/form/options TOOL_LIMIT`. */
export const constants = new Map<string, number>(
	(readdirSync(dist, { recursive: true }) as string[])
		.filter((file) => file.endsWith('.js'))
		.flatMap((file) => {
			const text = readFileSync(join(dist, file), 'utf8');
			const found = [...text.matchAll(/^(?:const |exports\.)([A-Za-z]\w*) = ([\d_ *./e]+);$/gm)];
			return found.map(([, name, value]): [string, number] => [
				`${file.replace(/\.js$/, '')} ${name}`,
				value
					.replaceAll('_', '')
					.split('*')
					.map((part) =>
						part
							.split('/')
							.map(Number)
							.reduce((one, other) => one / other),
					)
					.reduce((one, other) => one * other),
			]);
		}),
);

/**
 * Tests of a constant: one below it, at it, and one above.
 * @param name as in `constants`
 * @param works is given the number, and whether it's within the limit
 */
export function bothSides(
	name: string,
	works: (number: number, isWithin: boolean, limit: number) => void | Promise<void>,
): void {
	const limit = constants.get(name);
	if (limit === undefined) throw new Error(`No constant ${name}`);
	test.each([limit - 1, limit, limit + 1])(`${name}: %d`, async (number) => {
		await works(number, number <= limit, limit);
	});
}
