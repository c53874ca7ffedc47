// The nodes of the built package, found as n8n finds them: by the list in package.json.
import { basename, join } from 'node:path';
import type { INodeType } from 'n8n-workflow';
import manifest from '../../../package.json';

const root = join(__dirname, '../../..');

let loaded: Record<string, INodeType> | undefined;

/** All nodes of the package by the name of their type. */
export function packageNodes(): Record<string, INodeType> {
	if (!loaded) {
		loaded = {};
		for (const file of manifest.n8n.nodes) {
			const module = require(join(root, file)) as Record<string, new () => INodeType>;
			const node = new module[basename(file, '.node.js')]();
			loaded[node.description.name] = node;
		}
	}
	return loaded;
}
