// What saved workflows hold of the nodes: names of resources, operations and fields, their types,
// values and defaults. Workflows in the field depend on it until the nodes get a new version.
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';
import areaTools from '../nodes/ApiTool/areaTools.json';
import { offers } from '../dist/nodes/ApiTool/catalog.js';
import { nodes } from '../test/table/operations.cts';

/** The parameters of version 1, as they stand in the repository. */
export const RECORD = 'test/fixtures/parameters-v1.json';

type Option = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** Fields that tune how the engine works and change nothing about what a workflow does. */
const TUNING = 'requests';

function linesOfOption(option: Option, path: string, isTuning: boolean): string[] {
	if ('values' in option) {
		const group = `${path}.${option.name}`;
		return option.values.flatMap((each) => linesOf(each, group, isTuning));
	}
	if ('type' in option) return linesOf(option, path, isTuning);
	return [`${path} accepts ${JSON.stringify(option.value)}`];
}

/** A field, the values that it offers, and the fields inside it, a line each. */
function linesOf(property: INodeProperties, parent: string, isTuning = false): string[] {
	const { name, type, default: standard, options = [], modes = [] } = property;
	if (type === 'notice') return [];
	const path = parent === '' ? name : `${parent}.${name}`;
	// n8n does not store what equals the default: another default would change saved workflows.
	const unset = isTuning ? '' : `, unset ${JSON.stringify(standard)}`;
	const inside = options.flatMap((each) =>
		linesOfOption(each, path, isTuning || (type === 'collection' && name === TUNING)),
	);
	const ways = modes.map((mode) => `${path} by ${mode.name}`);
	return [`${path}: ${type}${unset}`, ...ways, ...inside];
}

/** Where a field is shown: `customer.create`, or nowhere in particular. */
function fieldsWithKey({ displayOptions }: INodeProperties): string[] {
	const { resource = [], operation = [] } = displayOptions?.show ?? {};
	if (resource.length === 0) return [''];
	if (operation.length === 0) return resource.map(String);
	return resource.flatMap((each) => operation.map((one) => `${String(each)}.${String(one)}`));
}

/** Parameters by node type, sorted. */
export type Parameters = Record<string, string[]>;

/** Platform Tools: what each tool sends, which prompts rely on, and the tools that a form with an area has. */
const toolLines = (): string[] => [
	...offers.map(({ name, operation }) => `tool ${name}: ${operation.endpoint.route}`),
	...Object.entries(areaTools).map(
		([area, { reads, changes }]) =>
			`areas with ${area}: reads ${reads.join(', ')}; changes ${changes.join(', ')}`,
	),
];

/** The parameters that the nodes have now. */
export function storedParameters(): Parameters {
	return Object.fromEntries(
		nodes.map(({ name, description }) => {
			const lines = description.properties.flatMap((property) =>
				fieldsWithKey(property).flatMap((place) => linesOf(property, place)),
			);
			if (name === 'platformApiTool') lines.push(...toolLines());
			return [name, [...new Set(lines)].sort()];
		}),
	);
}

/** What is recorded and what is there now, so that a new parameter is kept from then on too. */
export function joined(recorded: Parameters, current: Parameters): Parameters {
	const names = [...new Set([...Object.keys(recorded), ...Object.keys(current)])].sort();
	return Object.fromEntries(
		names.map((name) => {
			const lines = [...(recorded[name] ?? []), ...(current[name] ?? [])];
			return [name, [...new Set(lines)].sort()];
		}),
	);
}
