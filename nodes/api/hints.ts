// n8n's builder hints, which AI builders read beside the form. The node search shows `searchHint` and the
// related nodes. The types of a node show `searchHint` and `extraTypeDefContent`.
import type { IBuilderHint, IBuilderHintVariation } from 'n8n-workflow';

import { formFields, shownWith } from '../engine/node/description';
import { MAPPING } from '../engine/form/mappable';
import written from './outputs.json';
import type { Operation, Resource } from '../engine/form/operation';
import type { Field } from '../engine/form/fields';

/** Use of each node, as shown by related nodes. */
const roles = {
	platformAiGateway: 'Builds and searches knowledge bases',
	platformApiTool: 'Many operations as tools of an agent or MCP client',
	platformCompany: 'VAT numbers, currencies, own company',
	platformContentBox: 'Content entries',
	platformCustomers: 'Customers, subscriptions, usage, charges',
	platformDns: 'DNS lookups',
	platformEmbeddings: 'Embeddings for a vector store',
	platformIdentity: 'Users, one-time passwords, passkeys, risk',
	platformKnowledgeBaseRetriever: 'Knowledge base for chains',
	platformKnowledgeBaseTool: 'Knowledge base for agents',
	platformNewsletters: 'Newsletters to customers',
	platformPartners: 'Partners, commission fees, payouts',
	platformPollingTrigger: 'Starts on new customers or changed statuses, without a public URL',
	platformRecurringPayments: 'Recurring subscriptions of all customers',
	platformScheduler: 'Appointments and automated actions',
	platformCustomersTrigger:
		'Starts when a charge is paid or fails, or on another event; needs a public HTTPS URL',
	platformWebhooks: 'Webhooks that other systems receive',
	platformWorkflows: 'Runs workflows of the Platform',
};

/** Type of a node of this package, without its prefix. */
export type NodeName = keyof typeof roles;

/** All nodes. The search shows only a few for the word platform, so one of those links to all others. */
export const ALL = Object.keys(roles) as NodeName[];

const USUAL: NodeName[] = [
	'platformCustomers',
	'platformCustomersTrigger',
	'platformPollingTrigger',
];

const ACTION =
	'Always set resource and operation. Processes all input items in one run and waits out rate limits by itself: use no Loop Over Items, no Wait.';

/** Explains once, in the types of an action node, what the form adds to many operations. */
const ADDED = [
	'"Also" names further fields: returnAll (true) or limit (50), simplify (on), those typed with another operation.',
	'@output: documented fields, a record may lack some. options.outputFields "id, email" outputs only these. Leave requests out.',
	"As a tool, set what the model fills in to the expression $fromAI('name', 'what it is', 'string'), IDs with mode id.",
].join('\n');

/** Added to operations that move money, send email or start something. */
const CAREFUL =
	'Set idempotencyKey and safetyLimits. Rehearse it with Dry Run. In agents, let a person approve it.';

/** True if n8n's types show the field as required. They don't if it has a default. */
const isMarked = ({ type, default: given }: Field) =>
	given === '' && ['string', 'options', 'dateTime'].includes(type);

/** Required fields that look optional in n8n's types. Fields of rows are prefixed with their group. */
function requiredOf(fields: Field[], prefix = ''): string[] {
	return fields.flatMap((field) => {
		const name = `${prefix}${field.name}`;
		const isNested = prefix !== '';
		const isSaid = !MAPPING.includes(field.name) && (isNested || !isMarked(field));
		const own = field.required && isSaid ? [name] : [];
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
	'keysToRemember',
	'releaseKey',
	...MAPPING,
];

/** Fields that the form adds to an operation, except those that every operation has. */
function addedTo(operation: Operation): string[] {
	const added = formFields(operation).filter((field) => !operation.fields?.includes(field));
	const names = added.map(({ name, type, options = [] }) => {
		const inner = options.map((option) => option.name).filter((each) => !UNSAID.includes(each));
		if (type !== 'collection') return name;
		return inner.length > 0 ? `${name} {${inner.join(', ')}}` : '';
	});
	return [...new Set(names)].filter((name) => name !== '' && !UNSAID.includes(name));
}

/** Fields of an operation whose types are shown at another one. */
function sharedBy(resource: Resource, operation: Operation): string[] {
	const shared = new Map<string, string[]>();
	for (const field of operation.fields ?? []) {
		const { value } = shownWith(resource, operation, field);
		const isElsewhere = value !== operation.value && !MAPPING.includes(field.name);
		if (isElsewhere) shared.set(value, [...(shared.get(value) ?? []), field.name]);
	}
	return [...shared].map(([value, names]) => `as in ${value}: ${names.join(', ')}`);
}

const line = (tag: string, names: string[]) => names.length > 0 && `${tag} ${names.join(', ')}`;

/** Output fields by `outputKey` or the name of a trigger. Generated from the schema previews. */
const outputs: Record<string, string | undefined> = written;

/** Stands in for the output if no field is certain. */
export const UNSURE = 'the response as it comes: look at a real item before you use its fields';

/** Output of an operation in one line. The same output isn't repeated for another operation. */
function outputOf(operation: Operation, resource: Resource): string {
	const output = outputs[outputKey(operation)];
	if (output === undefined) return UNSURE;
	const first = resource.operations.find((other) => outputs[outputKey(other)] === output);
	return first === operation ? output : `as ${first?.value}`;
}

function operationHint(operation: Operation, resource: Resource): string {
	const { description, tool = description, builderHint: hint, fields = [], sequential } = operation;
	return [
		tool,
		hint,
		sequential && CAREFUL,
		line('@required', requiredOf(fields)),
		line('Also', [...addedTo(operation), ...sharedBy(resource, operation)]),
		`@output ${outputOf(operation, resource)}`,
	]
		.filter(Boolean)
		.join('\n');
}

/** Key of an operation in `outputs.json`. */
export const outputKey = ({ route, value }: Pick<Operation, 'route' | 'value'>) =>
	`${route} ${value}`;

const related = (name: NodeName, usedWith: NodeName[]) =>
	[...new Set([...usedWith, ...USUAL])]
		.filter((other) => other !== name)
		.map((other) => ({
			nodeType: `n8n-nodes-platform-api.${other}`,
			relationHint: roles[other],
		}));

/**
 * Returns the hints of a trigger or an AI sub-node.
 * @param note more about the items of a trigger
 */
export function builderHint(
	name: NodeName,
	searchHint: string,
	usedWith: NodeName[],
	note = '',
): IBuilderHint {
	const output = outputs[name];
	const content = `@output ${output}, ${note}`;
	return {
		searchHint,
		relatedNodes: related(name, usedWith),
		...(output && { extraTypeDefContent: [{ content }] }),
	};
}

export function actionHint(
	name: NodeName,
	resources: Resource[],
	searchHint: string,
	usedWith: NodeName[],
): IBuilderHint {
	const ofOperations = resources.flatMap((resource) =>
		resource.operations.map((operation): IBuilderHintVariation => ({
			displayOptions: { show: { resource: [resource.value], operation: [operation.value] } },
			content: operationHint(operation, resource),
		})),
	);
	return {
		searchHint: `${searchHint} ${ACTION}`,
		relatedNodes: related(name, usedWith),
		extraTypeDefContent: [{ content: ADDED }, ...ofOperations],
	};
}
