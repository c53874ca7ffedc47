// Modules of the package as another process of n8n has them, or this one after a restart.
import { join, sep } from 'node:path';

const built = join(__dirname, '../../../dist') + sep;

/** Loads modules of the build anew. Those of n8n and of the tests stay the same. */
export function inAnotherProcess<T>(load: () => T): T {
	const own = Object.entries(require.cache).filter(([file]) => file.startsWith(built));
	for (const [file] of own) delete require.cache[file];
	try {
		return load();
	} finally {
		for (const file of Object.keys(require.cache)) {
			if (file.startsWith(built)) delete require.cache[file];
		}
		for (const [file, module] of own) require.cache[file] = module;
	}
}
