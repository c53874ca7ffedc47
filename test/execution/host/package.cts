// The nodes of the built package, found as n8n finds them: by the list in package.json.
import { basename, join } from 'node:path';
import type { INodeType } from 'n8n-workflow';
import manifest from '../../../package.json';
import { inAnotherProcess } from './anotherProcess.cts';

const root = join(__dirname, '../../..');

function load(file: string): INodeType {
	const module = require(join(root, file)) as Record<string, new () => INodeType>;
	return new module[basename(file, '.node.js')]();
}

let loaded: Record<string, INodeType> | undefined;

/** All nodes of the package by the name of their type. */
export function packageNodes(): Record<string, INodeType> {
	loaded ??= Object.fromEntries(
		manifest.n8n.nodes.map((file) => {
			const node = load(file);
			return [node.description.name, node];
		}),
	);
	return loaded;
}

/** A node as another process of n8n has it, or this one after a restart: it remembers nothing. */
export function freshNode(type: string): INodeType {
	const file = manifest.n8n.nodes[Object.keys(packageNodes()).indexOf(type)];
	return inAnotherProcess(() => load(file));
}
