// n8n's builder hints, which AI builders read beside the form. The node search shows `searchHint` and the related nodes. The
// types of a node show `searchHint` and `extraTypeDefContent`.
import type { IBuilderHint, IBuilderHintVariation } from 'n8n-workflow';

import type { ApiDefinition } from '../base/definition';
import type { Field } from '../form/fields';
import { MAPPING } from '../form/mappable';
import type { Operation, Resource } from '../form/operation';
import { formFields, shownWith } from './description';

const ACTION =
	'Always set resource and operation. Processes all input items in one run and waits out rate limits by itself: use no Loop Over Items, no Wait.';

/** Explains once, in the types of an action node, what the form adds to many operations. */
const ADDED = [
	'"Also" names further fields: returnAll (true) or limit (50), simplify (on), those typed with another operation.',
	'@output: documented fields, a record may lack some. options.outputFields "id, email" outputs only these. Leave requests out.',
	"As a tool, set what the model fills in to the expression $fromAI('name', 'what it is', 'string'), IDs with mode id.",
].join('\n');

const CAREFUL =
	'Set idempotencyKey and safetyLimits. Rehearse it with Dry Run. In agents, let a person approve it.';

/** n8n's types show a field as required only if it has no default. */
const isMarkedRequired = ({ type, default: given }: Field) =>
	given === '' && ['string', 'options', 'dateTime'].includes(type);

/** Required fields that look optional in n8n's types. Fields of rows are prefixed with their group. */
function requiredOf(fields: Field[], prefix = ''): string[] {
	return fields.flatMap((field) => {
		const name = `${prefix}${field.name}`;
		const isNested = prefix !== '';
		const looksOptional = isNested || !isMarkedRequired(field);
		const isNamed = field.required && looksOptional && !MAPPING.includes(field.name);
		const own = isNamed ? [name] : [];
		if (field.type !== 'fixedCollection') return own;
		const [rows] = field.options;
		return [...own, ...requiredOf(rows.values, `${name}.${rows.name}[].`)];
	});
}

/** Fields that need no mention: they're explained once for all operations, or only matter to people. */
const UNSAID = [
	'notice',
	'toolDescription',
	'outputFields',
	'failWhileInDoubt',
	'keysToRemember',
	'releaseKey',
	...MAPPING,
];

/** Names of the fields that the form adds to an operation, without `UNSAID`. A collection is named with its fields. */
function addedTo(operation: Operation): string[] {
	const added = formFields(operation).filter(
		// A builder makes new nodes, without the fields of older versions.
		(field) => !operation.fields?.includes(field) && !field.displayOptions?.show?.['@version'],
	);
	const names = added.map(({ name, type, options = [] }) => {
		const inner = options.map((option) => option.name).filter((each) => !UNSAID.includes(each));
		if (type !== 'collection') return name;
		return inner.length > 0 ? `${name} {${inner.join(', ')}}` : '';
	});
	// The form has Limit twice: for people, and for tools.
	return [...new Set(names)].filter((name) => name !== '' && !UNSAID.includes(name));
}

/** Fields that the types show at another operation, such as `as in create: email, phone`. */
function sharedBy(resource: Resource, operation: Operation): string[] {
	const shared = new Map<string, string[]>();
	for (const field of operation.fields ?? []) {
		// A builder makes new nodes, which have the field in Options, or not at all.
		if (field.inOptions || field.chosenBy) continue;
		const { value } = shownWith(resource, operation, field);
		const isElsewhere = value !== operation.value && !MAPPING.includes(field.name);
		if (isElsewhere) shared.set(value, [...(shared.get(value) ?? []), field.name]);
	}
	return [...shared].map(([value, names]) => `as in ${value}: ${names.join(', ')}`);
}

/** A line without names is left out. */
const line = (tag: string, names: string[]) => names.length > 0 && `${tag} ${names.join(', ')}`;

export const UNSURE = 'the response as it comes: look at a real item before you use its fields';

/** The same output isn't repeated for another operation. */
function outputOf(operation: Operation, resource: Resource): string {
	const { outputs } = operation.endpoint.api.nodes;
	const output = outputs[outputKey(operation)];
	if (output === undefined) return UNSURE;
	const first = resource.operations.find((other) => outputs[outputKey(other)] === output);
	return first === operation ? output : `as ${first?.value}`;
}

/** Names the choices that a builder must make, since the default of a new form suits people. */
const chosenFor = (fields: Field[]): string[] =>
	fields.flatMap(({ name, default: given, newDefault }) =>
		newDefault === undefined ? [] : [`Set ${name} to ${JSON.stringify(given)}.`],
	);

/** n8n adds the hint of an operation to its types for AI builders. */
function operationHint(operation: Operation, resource: Resource): string {
	const { description, tool = description, builderHint: hint, fields = [], sequential } = operation;
	return [
		tool,
		hint,
		...chosenFor(fields),
		sequential && CAREFUL,
		line('@required', requiredOf(fields)),
		line('Also', [...addedTo(operation), ...sharedBy(resource, operation)]),
		`@output ${outputOf(operation, resource)}`,
	]
		.filter(Boolean)
		.join('\n');
}

export const outputKey = ({ endpoint, value }: Pick<Operation, 'endpoint' | 'value'>) =>
	`${endpoint.route} ${value}`;

const related = (
	{ nodes, package: { name: prefix } }: ApiDefinition,
	name: string,
	usedWith: string[],
) =>
	[...new Set([...usedWith, ...nodes.usual])]
		.filter((other) => other !== name)
		.map((other) => ({
			nodeType: `${prefix}.${other}`,
			relationHint: nodes.roles[other],
		}));

export interface Hinted {
	name: string;
	/** Says when to use the node. */
	hint: string;
	usedWith?: string[];
	note?: string;
}

export function builderHint(
	api: ApiDefinition,
	{ name, hint, usedWith = [], note = '' }: Hinted,
): IBuilderHint {
	const output = api.nodes.outputs[name];
	const content = `@output ${output}, ${note}`;
	return {
		searchHint: hint,
		relatedNodes: related(api, name, usedWith),
		...(output && { extraTypeDefContent: [{ content }] }),
	};
}

export function actionHint(
	api: ApiDefinition,
	resources: Resource[],
	{ name, hint, usedWith = [] }: Hinted,
): IBuilderHint {
	const ofOperations = resources.flatMap((resource) =>
		resource.operations.map((operation): IBuilderHintVariation => ({
			displayOptions: { show: { resource: [resource.value], operation: [operation.value] } },
			content: operationHint(operation, resource),
		})),
	);
	return {
		searchHint: `${hint} ${ACTION}`,
		relatedNodes: related(api, name, usedWith),
		extraTypeDefContent: [{ content: ADDED }, ...ofOperations],
	};
}
