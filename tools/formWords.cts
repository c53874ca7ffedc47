// Words of each form as a new node shows it, so that forms stay short (test/unit/wording).
//
// Counted are labels, descriptions, hints and notices of the fields that the form shows, and of all fields that can be added to
// it. Not counted are the dropdowns for resource and operation, names of options, placeholders, and the Settings tab.
import { displayParameter, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import { newestVersion, nodes, type PackageNode } from '../test/table/operations.cts';

export interface FormWords {
	/** `Platform Customers › Customer › Create`, or the name of a node without operations. */
	title: string;
	words: number;
}

/** A text as it's read, without tags. */
export const readText = (text = '') => text.replace(/<[^>]*>/g, '');

const count = (text?: string) =>
	readText(text)
		.split(/\s+/)
		.filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** A field and those inside it. */
export function withInner(field: INodeProperties): INodeProperties[] {
	const inner = (field.options ?? []).flatMap((option): INodeProperties[] => {
		if ('values' in option) return option.values;
		return 'type' in option ? [option] : [];
	});
	return [field, ...inner.flatMap(withInner)];
}

const wordsOf = ({ type, displayName, description, hint }: INodeProperties) =>
	type === 'hidden' ? 0 : count(displayName) + count(description) + count(hint);

/** The fields that a new node shows for a resource and an operation. */
function fieldsOf(node: PackageNode, chosen: INodeParameters): INodeProperties[] {
	const { properties } = node.description;
	const isOf = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
		Object.entries(chosen).every(([name, value]) => show[name]?.includes(value as string) ?? true);
	const own = properties.filter(isOf);
	const values: INodeParameters = { ...chosen };
	const asNode = { typeVersion: newestVersion(node.description) };
	for (const field of own) {
		const { '@version': version = [asNode.typeVersion], '@tool': isTool = [false] } =
			field.displayOptions?.show ?? {};
		const displayOptions = { show: { '@version': version, '@tool': isTool } };
		const isOfNew = displayParameter({}, { ...field, displayOptions }, asNode, node.description);
		if (isOfNew) values[field.name] ??= field.default as INodeParameters[string];
	}
	const isShown = (field: INodeProperties) =>
		displayParameter(values, field, asNode, node.description);
	return own
		.filter(
			(field) =>
				!['resource', 'operation'].includes(field.name) && !field.isNodeSetting && isShown(field),
		)
		.map((field) => {
			if (field.type !== 'collection') return field;
			const options = (field.options ?? []).filter((each) => !('type' in each) || isShown(each));
			return { ...field, options };
		});
}

export interface Form {
	title: string;
	/** Its node, resource and operation as they are stored: `platformCustomers customer create`. */
	stored: string;
	fields: INodeProperties[];
}

/** All forms of a node. */
export function formsOf(node: PackageNode): Form[] {
	const { name, displayName, description } = node;
	const pickers = description.properties.filter(({ name }) => name === 'operation');
	if (pickers.length === 0)
		return [{ title: displayName, stored: name, fields: fieldsOf(node, {}) }];
	const resources = description.properties.find(({ name }) => name === 'resource')?.options ?? [];
	return pickers.flatMap(({ displayOptions, options = [] }) =>
		options.flatMap((operation) => {
			const [resource] = displayOptions?.show?.resource ?? [];
			const named = resources.find((each) => 'value' in each && each.value === resource);
			if (!('value' in operation)) return [];
			const chosen = { resource: resource as string, operation: operation.value };
			return [
				{
					title: `${displayName} › ${named?.name} › ${operation.name}`,
					stored: `${name} ${resource} ${operation.value}`,
					fields: fieldsOf(node, chosen),
				},
			];
		}),
	);
}

/** All forms of the package, with their words. */
export const formWords = (): FormWords[] =>
	nodes.flatMap(formsOf).map(({ title, fields }) => ({
		title,
		words: fields.flatMap(withInner).reduce((sum, field) => sum + wordsOf(field), 0),
	}));

export function medianOf(numbers: number[]): number {
	const sorted = [...numbers].sort((one, other) => one - other);
	return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
