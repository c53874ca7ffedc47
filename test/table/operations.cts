// The operation table of the built package: what the table-driven tests run over, so that a new
// entry is tested by being there.
import { dirname, join } from 'node:path';
import type { INodeType } from 'n8n-workflow';
import manifest from '../../package.json';
import type { Operation, Resource } from '../../nodes/shared/operation.ts';

/** One operation and where it stands. */
export interface TableEntry {
	/** Name of the node type, such as `platformCustomers`. */
	node: string;
	/** Folder of the node below nodes/. */
	folder: string;
	displayName: string;
	resource: Resource;
	operation: Operation;
	/** All resources of the node. */
	resources: Resource[];
	/** `Customers › Customer › Create`, for test titles. */
	title: string;
}

/** A module that n8n loads, with what the action nodes export beside their class. */
interface NodeModule {
	resources?: Resource[];
	[className: string]: unknown;
}

/** Every operation of every action node. */
export const table: TableEntry[] = manifest.n8n.nodes.flatMap((file) => {
	const module = require(join(__dirname, '../..', file)) as NodeModule;
	const { resources } = module;
	if (!resources) return [];
	const NodeClass = Object.entries(module).find(([name]) => name !== 'resources')?.[1];
	const { description } = new (NodeClass as new () => INodeType)();
	return resources.flatMap((resource) =>
		resource.operations.map((operation) => ({
			node: description.name,
			folder: dirname(file).split('/').pop() as string,
			displayName: description.displayName,
			resource,
			operation,
			resources,
			title: `${description.displayName} › ${resource.name} › ${operation.name}`,
		})),
	);
});

/** The entry of one operation. */
export function entryOf(node: string, resource: string, operation: string): TableEntry {
	const found = table.find(
		(entry) =>
			entry.node === node &&
			entry.resource.value === resource &&
			entry.operation.value === operation,
	);
	if (!found) throw new Error(`No operation ${node} ${resource} ${operation}`);
	return found;
}
