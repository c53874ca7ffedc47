// A package of nodes that do nothing, as many as asked for: what n8n takes for any package.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const nodeSource = (name: string) => `
exports.${name} = class ${name} {
	constructor() {
		this.description = {
			displayName: '${name}',
			name: '${name.toLowerCase()}',
			group: ['transform'],
			version: 1,
			description: 'Does nothing',
			defaults: { name: '${name}' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		};
	}
	async execute() {
		return [this.getInputData()];
	}
};
`;

/** Writes such a package. */
export async function writeTrivialPackage(folder: string, nodes: number): Promise<void> {
	await mkdir(folder, { recursive: true });
	const names = Array.from({ length: nodes }, (_, index) => `Trivial${index + 1}`);
	await Promise.all(
		names.map((name) => writeFile(join(folder, `${name}.node.js`), nodeSource(name))),
	);
	const manifest = {
		name: 'n8n-nodes-trivial',
		version: '1.0.0',
		n8n: { nodes: names.map((name) => `${name}.node.js`), credentials: [] },
	};
	await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
}
