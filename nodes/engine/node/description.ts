// Turns resources into the n8n properties of a node.
import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import { sentence } from '../base/data';
import { besideOption } from '../form/inOptions';
import { labelOf, notice, text, type Field, type SingleField } from '../form/fields';
import { MAPPING } from '../form/mappable';
import { shapeOf, type Operation, type Resource } from '../form/operation';
import {
	isOptions,
	limitField,
	optionsField,
	requestSettings,
	returnAllField,
	TOOL_LIMIT,
} from '../form/options';
import { idempotencyFields, safetyLimitsOf } from '../form/safety';
import { outputToggles } from '../form/simplify';

/** Sorted by name, as n8n wants dropdowns. */
const sortedByName = <T extends { name: string }>(entries: T[]): T[] =>
	[...entries].sort((one, other) => one.name.localeCompare(other.name));

/** n8n doesn't know these keys, at any depth. */
function property(field: Field): INodeProperties {
	const own = { ...field };
	delete own.send;
	delete own.newDefault;
	delete own.inOptions;
	delete own.chosenBy;
	if (own.type === 'collection') return { ...own, options: own.options.map(property) };
	if (own.type !== 'fixedCollection') return own;
	const [rows] = own.options;
	return { ...own, options: [{ ...rows, values: rows.values.map(property) }] };
}

const listFields: Field[] = [
	returnAllField,
	limitField,
	{
		...limitField,
		default: TOOL_LIMIT,
		displayOptions: { show: { '@tool': [true], returnAll: [false] } },
	},
];

/** Return All and Limit are hidden while the alternative returns a single item. */
function listFieldsOf(operation: Operation): Field[] {
	const { alternative } = operation;
	if (alternative?.shape?.kind !== 'one') return listFields;
	const hide = { [alternative.field]: [alternative.is] };
	return listFields.map((field) => ({
		...field,
		displayOptions: { ...field.displayOptions, hide },
	}));
}

/** The form has Return All and Limit. Not for steps, nor for lists with a limit of their own or that come complete. */
export function hasLimit(operation: Operation): boolean {
	const shape = shapeOf(operation);
	const isList = shape.kind === 'list' || shape.kind === 'strings';
	return isList && shape.paging !== 'unpaged' && operation.run === undefined;
}

/** Tells a model how an update takes empty values. */
const CLEARS = 'Empty means unchanged, null clears.';

const hasClearable = (fields: Field[]): boolean =>
	fields.some((field) =>
		field.type === 'collection'
			? hasClearable(field.options)
			: field.send !== false && field.send?.empty === 'clears',
	);

/** The tool description for the model. n8n shows this field instead of its own, which has only the action. */
function toolField({ description, tool = description, fields = [] }: Operation): Field {
	return text({
		displayName: 'Description',
		name: 'toolDescription',
		typeOptions: { rows: 3 },
		default: hasClearable(fields) ? `${sentence(tool)} ${CLEARS}` : tool,
		required: true,
		description: 'What the model is told about this tool. Add when to use it.',
		displayOptions: { show: { '@tool': [true] } },
		send: false,
	});
}

/** All fields in the form of an operation, in their order. Its Options are a new field: its own with those of the engine. */
export function formFields(operation: Operation): Field[] {
	const { fields = [] } = operation;
	const isOwnCollection = (field: Field) => field.type === 'collection' && !isOptions(field);
	return [
		toolField(operation),
		...(operation.notice ? [notice(operation.notice)] : []),
		...fields.filter(({ type }) => type !== 'collection'),
		...(hasLimit(operation) ? listFieldsOf(operation) : []),
		...fields.filter(isOwnCollection),
		...idempotencyFields(operation),
		...safetyLimitsOf(operation),
		...outputToggles(operation, 'form'),
		...optionsField(operation),
	];
}

/**
 * Hides a property from the types that n8n generates for AI builders, where it would be repeated for each operation. The
 * builder hints explain it once. n8n omits a property if any condition of `disabledOptions` always holds while it's shown. The
 * editor disables a field only if all conditions hold, and the condition on version 0 never does.
 */
function leftOutOfTypes(field: INodeProperties): INodeProperties {
	const show = field.displayOptions?.show ?? { '@tool': [true, false] };
	return {
		...field,
		displayOptions: { ...field.displayOptions, show },
		disabledOptions: { show: { ...show, '@version': [0] } },
	};
}

/** Properties as JSON, kept because each is compared with all others of its resource. */
const texts = new WeakMap<Field, string>();

function textOf(field: Field): string {
	const known = texts.get(field) ?? JSON.stringify(property(field));
	texts.set(field, known);
	return known;
}

/** The operation whose types show a field once: the first with an identical field. Each shows its required non-locators. */
export function shownWith({ operations }: Resource, operation: Operation, field: Field): Operation {
	if (field.required && field.type !== 'resourceLocator') return operation;
	const text = textOf(field);
	const isAlike = (other: Field) => textOf(other) === text;
	const first = sortedByName(operations).find(({ fields = [] }) => fields.some(isAlike));
	// The Options of the form aren't those of any operation if the engine has added some (`optionsField`).
	return first ?? operation;
}

/** A field that is only shown in some versions of the node, and maybe only for tools or for all but these. */
const shownIn = (field: Field, version: object, isTool?: boolean): Field => ({
	...field,
	displayOptions: {
		...field.displayOptions,
		show: {
			...field.displayOptions?.show,
			'@version': [{ _cnd: version } as never],
			...(isTool !== undefined && { '@tool': [isTool] }),
		},
	},
});

const OLD = { lt: 1.1 };
const NEW = { gte: 1.1 };

/**
 * The properties of a field by the version of the node: older versions may have a text in place of a picker, another default,
 * or the field in the form (`inOptions`). Only the newest is in types.
 */
function byVersion(field: Field, fields: Field[]): Array<{ field: Field; isOld?: true }> {
	const { newDefault, send, inOptions, chosenBy } = field;
	if (inOptions || chosenBy) return [{ field: shownIn(field, OLD), isOld: true }];
	const displayOptions = besideOption(field, fields);
	if (displayOptions) {
		return [
			{ field: shownIn(field, OLD), isOld: true },
			{ field: shownIn({ ...field, displayOptions }, NEW) },
		];
	}
	if (newDefault !== undefined) {
		return [
			{ field: shownIn(field, OLD), isOld: true },
			{ field: shownIn(field, NEW, true), isOld: true },
			{ field: shownIn({ ...field, default: newDefault }, NEW, false) },
		];
	}
	if (!send || !send.wasText) return [{ field }];
	const { modes, ...about } = field as SingleField;
	const older = text({ ...about, default: '', placeholder: modes?.at(-1)?.placeholder });
	return [{ field: shownIn(older, OLD), isOld: true }, { field: shownIn(field, NEW) }];
}

/** The types for AI builders lack properties that are repeated (`leftOutOfTypes`). */
function propertiesOf(resource: Resource, operation: Operation): INodeProperties[] {
	const { value, fields = [] } = operation;
	const show = { resource: [resource.value], operation: [value] };
	return formFields(operation).flatMap((field) => {
		const hasOwnOptions = isOptions(field) && fields.some(isOptions);
		const isOwn = fields.includes(field) || hasOwnOptions;
		const isInTypes =
			isOwn && !MAPPING.includes(field.name) && shownWith(resource, operation, field) === operation;
		return byVersion(field, fields).flatMap(({ field: each, isOld }) => {
			const shown = updateDisplayOptions({ show }, [property(each)]);
			return isInTypes && !isOld ? shown : shown.map(leftOutOfTypes);
		});
	});
}

export const picker = (name: string, about: Partial<INodeProperties>): INodeProperties => ({
	displayName: labelOf(name),
	name,
	type: 'options',
	noDataExpression: true,
	default: '',
	...about,
});

/** `usual` (Get Many unless set), else the first operation that only reads, else the first. */
function usualOperation({ usual = 'getAll', operations }: Resource): Operation {
	const named = operations.find(({ value }) => value === usual);
	return named ?? operations.find(({ endpoint }) => endpoint.onlyReads) ?? operations[0];
}

/** The properties of an action node. A new node shows the first resource and its usual operation. */
export function describe(resources: Resource[]): INodeProperties[] {
	const sorted = sortedByName(resources);
	return [
		picker('resource', {
			options: sorted.map(({ name, value, description }) => ({ name, value, description })),
			default: resources[0].value,
		}),
		...sorted.map((resource) =>
			picker('operation', {
				displayOptions: { show: { resource: [resource.value] } },
				options: sortedByName(resource.operations).map((choice) => ({
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

/** The properties of a node without resources, such as a trigger or an AI sub-node. Types leave its settings out. */
export function describeFields({ fields = [] }: Pick<Operation, 'fields'>): INodeProperties[] {
	return fields.map((field) => {
		const own = property(field);
		return field.isNodeSetting ? leftOutOfTypes(own) : own;
	});
}
