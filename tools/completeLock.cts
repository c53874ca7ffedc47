// Adds to package-lock.json the builds for other platforms that the registry at hand does not serve:
// npm leaves those out of a lock file that it writes, and `npm ci` then refuses the file everywhere.
// They have no checksum; npm checks those of the platform on which the file was written.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
	version: string;
	cpu?: string[];
	dev?: boolean;
	libc?: string[];
	optional?: boolean;
	optionalDependencies?: Record<string, string>;
	os?: string[];
}

interface Lock {
	packages: Record<string, Entry>;
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

/** Packages that an entry of the lock file may install and that are not in it, by their place. */
export function missingFrom({ packages }: Lock): Array<[string, Entry]> {
	const known = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
	return Object.values(packages).flatMap(({ dev, optionalDependencies = {} }) =>
		Object.entries(optionalDependencies)
			.filter(([name]) => !known.has(name))
			.map(([name, version]): [string, Entry] => [
				`node_modules/${name}`,
				{ version, ...platformOf(name), ...(dev && { dev }), optional: true },
			]),
	);
}

/** What such a package is built for, by its name: `@swc/core-linux-arm-gnueabihf`. */
function platformOf(name: string): Pick<Entry, 'cpu' | 'libc' | 'os'> {
	const words = name.split(/[/-]/);
	const one = (among: string[]) => among.filter((word) => words.includes(word)).slice(0, 1);
	const [libc] = words.flatMap((word) =>
		word.startsWith('gnu') ? ['glibc'] : word.startsWith('musl') ? ['musl'] : [],
	);
	return { cpu: one(PROCESSORS), ...(libc && { libc: [libc] }), os: one(SYSTEMS) };
}

if (require.main === module) {
	const file = join(__dirname, '../package-lock.json');
	const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
	const added = missingFrom(lock);
	const sorted = Object.entries(lock.packages)
		.concat(added)
		.sort(([one], [other]) => one.localeCompare(other, 'en'));
	writeFileSync(
		file,
		`${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
	);
	console.log(`${added.length} added.`);
}
