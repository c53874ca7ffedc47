// The operation table of the built package: what the table-driven tests run over, so that a new
// entry is tested by being there.
import { basename, dirname, join } from 'node:path';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import manifest from '../../package.json';
import type { Operation, Resource } from '../../nodes/engine/form/operation.ts';

export { endpointOf, isRepeatable, onlyReads, partsOf, routes } from './api.cts';
export { routesOf, shapeOf } from '../../dist/nodes/engine/form/operation.js';

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

/** A node of the package, whether it has operations or not. */
export interface PackageNode {
	/** Name of its type, such as `platformCustomers`. */
	name: string;
	/** Its folder below nodes/. */
	folder: string;
	displayName: string;
	description: INodeTypeDescription;
	/** Absent for triggers and AI sub-nodes. */
	resources?: Resource[];
}

/** All nodes, in the order of package.json. */
export const nodes: PackageNode[] = manifest.n8n.nodes.map((file) => {
	const module = require(join(__dirname, '../..', file)) as NodeModule;
	const { description } = new (module[basename(file, '.node.js')] as new () => INodeType)();
	const { name, displayName } = description;
	const folder = dirname(file).split('/').pop() as string;
	return { name, folder, displayName, description, resources: module.resources };
});

/** The version that a new node has. */
export const newestVersion = ({ version }: Pick<INodeTypeDescription, 'version'>): number =>
	Math.max(...[version].flat());

/** Every operation of every action node. */
export const table: TableEntry[] = nodes.flatMap(({ name, folder, displayName, resources = [] }) =>
	resources.flatMap((resource) =>
		resource.operations.map((operation) => ({
			node: name,
			folder,
			displayName,
			resource,
			operation,
			resources,
			title: `${displayName} › ${resource.name} › ${operation.name}`,
		})),
	),
);

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
