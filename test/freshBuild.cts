// Tests load dist. One that's older than a source would be tested without a word, so jest doesn't begin then.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');

const timeOf = (path: string) =>
	statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Sources that were written after what was compiled of them. */
export const newerSources = (timeOfFile = timeOf): string[] =>
	['credentials', 'nodes']
		.flatMap((folder) =>
			readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
				join(folder, file),
			),
		)
		.filter((file) => file.endsWith('.ts'))
		.filter((file) => timeOfFile(file) > timeOfFile(join('dist', file.replace(/\.ts$/, '.js'))));

export default function refuseOldBuild(): void {
	const [newer, ...others] = newerSources();
	if (newer === undefined) return;
	const also = others.length > 0 ? ` and ${others.length} more` : '';
	throw new Error(`dist is older than ${newer}${also}. Run npm run check compile first.`);
}
