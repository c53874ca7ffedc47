// Resources -> the n8n properties of a node: pickers, fields with their displayOptions, Options.
import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import { onlyReads } from './endpoints';
import { shapeOf, type Operation, type Resource } from './operation';
import { labelOf, notice, text, toggle, type Field } from './fields';
import { limitField, optionsField, requestSettings } from './form/options';
import { idempotencyFields, safetyLimitsOf } from './form/safety';
import { simplifyField } from './simplify';

const byName = <T extends { name: string }>(entries: T[]): T[] =>
	[...entries].sort((one, other) => one.name.localeCompare(other.name));

/** A field as n8n knows it: without what only the engine reads. */
function property(field: Field): INodeProperties {
	const known = { ...field };
	delete known.send;
	if (known.type === 'collection') return { ...known, options: known.options.map(property) };
	if (known.type !== 'fixedCollection') return known;
	const [rows] = known.options;
	return { ...known, options: [{ ...rows, values: rows.values.map(property) }] };
}

/** Rows that a list gives to an agent unless told: its model reads all that comes back. */
const TOOL_LIMIT = 10;

/** Return All and Limit, for every list without a limit of its own. */
const listFields: Field[] = [
	toggle({
		name: 'returnAll',
		description: 'Whether to return all results or only up to a given limit',
	}),
	limitField,
	{
		...limitField,
		default: TOOL_LIMIT,
		displayOptions: { show: { returnAll: [false], '@tool': [true] } },
	},
];

/** Return All and Limit of one list, hidden while its alternative gives one item. */
function listFieldsOf(operation: Operation): Field[] {
	const { alternative } = operation;
	if (alternative?.shape?.kind !== 'one') return listFields;
	const hide = { [alternative.field]: [alternative.is] };
	return listFields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, hide },
	}));
}

/** Whether the form offers Return All and Limit. */
export function hasLimit(operation: Operation): boolean {
	const shape = shapeOf(operation);
	if (operation.run !== undefined || shape.kind === 'one' || shape.kind === 'binary') return false;
	return shape.kind !== 'map' && !shape.whole;
}

const wholeRecordField = toggle({
	name: 'returnWholeRecord',
	description:
		'Whether to return the whole record instead of the few fields the API returns. This takes one more request.',
});

/** What the form asks about the output. */
function outputFields({ simplify, whole }: Operation): Field[] {
	const ofWhole = whole ? { displayOptions: { show: { returnWholeRecord: [true] } } } : {};
	return [
		...(whole ? [wholeRecordField] : []),
		...(simplify ? [{ ...simplifyField, ...ofWhole }] : []),
	];
}

/**
 * What a model is told of the tool; n8n shows it in place of its own field, which names the action alone.
 */
function toolField({ description, tool = description }: Operation): Field {
	return text({
		displayName: 'Description',
		name: 'toolDescription',
		typeOptions: { rows: 3 },
		default: tool,
		required: true,
		description: 'What the model is told about this tool. Add when to use it.',
		displayOptions: { show: { '@tool': [true] } },
		send: false,
	});
}

/** All form fields of an operation, in the order of the form. */
export function formFields(operation: Operation): Field[] {
	const { fields = [] } = operation;
	const isOptional = ({ type }: Field) => type === 'collection';
	return [
		toolField(operation),
		...(operation.notice ? [notice(operation.notice)] : []),
		...fields.filter((field) => !isOptional(field)),
		...(hasLimit(operation) ? listFieldsOf(operation) : []),
		...fields.filter(isOptional),
		...idempotencyFields(operation),
		...safetyLimitsOf(operation),
		...outputFields(operation),
		...optionsField(operation),
	];
}

/**
 * A property that n8n leaves out of the types that it writes for AI builders, where it would stand again for
 * each operation: the hints of a node say once what it is. n8n leaves out what is disabled whenever it's shown. It
 * takes the conditions one by one, while the editor wants all of them, and no node has the version 0.
 */
function leftOutOfTypes(field: INodeProperties): INodeProperties {
	const show = field.displayOptions?.show ?? { '@tool': [true, false] };
	return {
		...field,
		displayOptions: { ...field.displayOptions, show },
		disabledOptions: { show: { ...show, '@version': [0] } },
	};
}

/**
 * The operation of a resource whose types show a field: the first one of those that have it alike. What is
 * short and required is shown with each.
 */
export function shownWith({ operations }: Resource, operation: Operation, field: Field): Operation {
	if (field.required && field.type !== 'resourceLocator') return operation;
	const text = JSON.stringify(property(field));
	const isAlike = (other: Field) => JSON.stringify(property(other)) === text;
	const first = byName(operations).find(({ fields = [] }) => fields.some(isAlike));
	return first ?? operation;
}

function propertiesOf(resource: Resource, operation: Operation): INodeProperties[] {
	const show = { resource: [resource.value], operation: [operation.value] };
	return formFields(operation).flatMap((field) => {
		const shown = updateDisplayOptions({ show }, [property(field)]);
		const isOwn = operation.fields?.includes(field) === true;
		const isTyped = isOwn && shownWith(resource, operation, field) === operation;
		return isTyped ? shown : shown.map(leftOutOfTypes);
	});
}

/** A choice of the node's own, such as the operation. */
export const picker = (name: string, about: Partial<INodeProperties>): INodeProperties => ({
	displayName: labelOf(name),
	name,
	type: 'options',
	noDataExpression: true,
	default: '',
	...about,
});

/**
 * The operation that a form shows before one is chosen: Get Many, else the first that only reads. Of a
 * resource that can't be read it's the first, unless the resource names another.
 */
function usualOperation({ usual = 'getAll', operations }: Resource): Operation {
	const named = operations.find(({ value }) => value === usual);
	return named ?? operations.find(({ route }) => onlyReads(route)) ?? operations[0];
}

/**
 * The properties of an action node: everything but its head is derived from its resources. The pickers
 * offer them by name, as n8n wants it; a new node shows the first resource and its usual operation.
 */
export function describe(resources: Resource[]): INodeProperties[] {
	const sorted = byName(resources);
	return [
		picker('resource', {
			options: sorted.map(({ name, value, description }) => ({ name, value, description })),
			default: resources[0].value,
		}),
		...sorted.map((resource) =>
			picker('operation', {
				displayOptions: { show: { resource: [resource.value] } },
				options: byName(resource.operations).map((choice) => ({
					name: choice.name,
					value: choice.value,
					action: choice.action,
					description: choice.description,
					...(choice.builderHint && { builderHint: { propertyHint: choice.builderHint } }),
				})),
				default: usualOperation(resource).value,
			}),
		),
		...sorted.flatMap((resource) =>
			resource.operations.flatMap((operation) => propertiesOf(resource, operation)),
		),
		leftOutOfTypes(property(requestSettings)),
	];
}

/** The properties of a node without pickers, such as an AI sub-node or a trigger. */
export function describeFields({ fields = [] }: Pick<Operation, 'fields'>): INodeProperties[] {
	return fields.map(property);
}
