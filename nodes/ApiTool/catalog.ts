// The operations of all action nodes as tools: their names, and what they may do.
import type {
	IDataObject,
	IExecuteFunctions,
	INodePropertyOptions,
	ISupplyDataFunctions,
} from 'n8n-workflow';

import { access, principals } from '../AiGateway/access';
import { resources as aiGateway } from '../AiGateway/PlatformAiGateway.node';
import { pickerLists, type PickerListName } from '../api/pickerLists';
import { resources as company } from '../Company/PlatformCompany.node';
import { resources as contentBox } from '../ContentBox/PlatformContentBox.node';
import { resources as customers } from '../Customers/PlatformCustomers.node';
import { resources as dns } from '../Dns/PlatformDns.node';
import { FieldFault } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import { labelOf, snake, type Field } from '../engine/form/fields';
import type { Operation, Resource } from '../engine/form/operation';
import { isBlank } from '../engine/form/values';
import { checkTool } from '../engine/run/sameForAll';
import { resources as identity } from '../Identity/PlatformIdentity.node';
import { resources as newsletters } from '../Newsletters/PlatformNewsletters.node';
import { resources as partners } from '../Partners/PlatformPartners.node';
import { resources as recurringPayments } from '../RecurringPayments/PlatformRecurringPayments.node';
import { resources as scheduler } from '../Scheduler/PlatformScheduler.node';
import { resources as webhooks } from '../Webhooks/PlatformWebhooks.node';
import { resources as workflows } from '../Workflows/PlatformWorkflows.node';
import areaTools from './areaTools.json';
import { limitAgainst } from './limited';
import { argumentName, type Words } from './words';

export type Context = IExecuteFunctions | ISupplyDataFunctions;

const areas: Record<string, Resource[]> = {
	aiGateway,
	company,
	contentBox,
	customers,
	dns,
	identity,
	newsletters,
	partners,
	recurringPayments,
	scheduler,
	webhooks,
	workflows,
};

export interface Offer {
	/** Name for the model: `create_charge`. Never renamed, since prompts and workflows have it. */
	name: string;
	area: string;
	label: string;
	operation: Operation;
	/** It changes something, or costs money. */
	changes: boolean;
	isSecret: boolean;
	/** Takes the secrets out of a row. */
	shown?: (row: IDataObject) => IDataObject;
	/** The same operation with URLs for stored keys, and with secrets in its rows. */
	withSecrets?: Offer;
	/** The same operation, where the form says who is asking and the model can't. */
	withAccess?: Offer;
}

const plural = (noun: string) => `${noun.replace(/y$/, 'ie')}s`;

/** Names that don't follow from resource and operation, or would be taken twice. With the area where two have the resource. */
const named: Record<string, string | undefined> = {
	'backupCode.generate': 'generate_backup_codes',
	'capability.get': 'get_dns_capabilities',
	'company.getIntelligenceSnapshot': 'get_company_snapshot',
	'company.lookUpByVatNumber': 'look_up_company',
	'lookup.run': 'look_up_dns',
	'lookup.runWithResolvers': 'look_up_dns_with_resolvers',
	'oneTimePassword.setUp': 'set_up_otp',
	'oneTimePassword.verify': 'verify_otp',
	'property.getAll': 'list_customer_properties',
	'property.update': 'update_customer_properties',
	'recipient.set': 'set_recipients',
	'risk.assessSession': 'assess_risk',
	'recurringPayments.subscription.getAll': 'list_recurring_subscriptions',
	'settings.get': 'get_recurring_settings',
};

function nameOf(area: string, resource: Resource, operation: Operation): string {
	const key = `${resource.value}.${operation.value}`;
	const exception = named[`${area}.${key}`] ?? named[key];
	if (exception !== undefined) return exception;
	const noun = snake(resource.value);
	if (operation.value === 'getAll') return `list_${plural(noun)}`;
	if (operation.value === 'upsert') return `create_or_update_${noun}`;
	const [verb, ...rest] = snake(operation.value).split('_');
	return [verb, noun, ...rest].join('_');
}

/** Operations whose output no model can read: files, PDF as base64, vectors. */
const UNREADABLE = ['download_payout_report', 'get_payout_report', 'create_embedding'];

/** Operations that return a secret: payment links, tokens, seeds and codes. */
const SECRET = [
	'create_webhook',
	'generate_backup_codes',
	'get_customer_payment_link',
	'set_up_otp',
];

/** Leaves out the token, and in the URL what lets others in: a password, or a query. */
function shownWebhook(webhook: IDataObject): IDataObject {
	const { url = '', ...row } = webhook;
	delete row.token;
	return {
		...row,
		url: String(url)
			.replace(/[?#].*$/s, '')
			.replace(/\/\/[^/@]*@/, '//'),
	};
}

const SHOWN: Record<string, Offer['shown']> = {
	get_webhook: shownWebhook,
	list_webhooks: shownWebhook,
};

/** A stored key is sent to the URL in such a field. A collection may have one. */
const hasKeyUrl = (field: Field): boolean =>
	field.type === 'collection'
		? field.options.some(hasKeyUrl)
		: field.send !== false && field.send?.getsKey === true;

/** A model could have a stored key sent to anyone, so URLs that get one are left out. */
const withoutKeyUrl = (field: Field): Field[] => {
	if (!hasKeyUrl(field)) return [field];
	if (field.type !== 'collection') return [];
	return [{ ...field, options: field.options.flatMap(withoutKeyUrl) }];
};

/** The tool takes no URL for a stored key and shows no token of a webhook. `withSecrets` has both. */
function offerOf(area: string, resource: Resource, operation: Operation): Offer {
	const name = nameOf(area, resource, operation);
	const changes = !operation.endpoint.onlyReads;
	const label = `${labelOf(area)}: ${resource.name}: ${operation.name}${changes ? ' · Changes Data' : ''}`;
	const whole = { name, area, label, operation, changes, isSecret: SECRET.includes(name) };
	const { fields = [] } = operation;
	const hasUrl = fields.some(hasKeyUrl);
	const safe = hasUrl ? { ...operation, fields: fields.flatMap(withoutKeyUrl) } : operation;
	const offer = { ...whole, operation: safe, shown: SHOWN[name], withSecrets: whole };
	if (!fields.includes(access)) return offer;
	return { ...offer, withAccess: { ...whole, operation: withoutPrincipals(operation) } };
}

/** A model could say for whom it asks by the principals of older forms. */
const withoutPrincipals = ({ fields = [], ...operation }: Operation): Operation => ({
	...operation,
	fields: fields.map((field) =>
		field.type === 'collection'
			? { ...field, options: field.options.filter(({ name }) => name !== 'principals') }
			: field,
	),
});

/** The form of this version says who is asking. */
const hasAccess = (context: Context): boolean => context.getNode().typeVersion >= 1.1;

/**
 * Access and principals of a search, as the form says. Empty for other operations, and for nodes of version 1, where the model
 * can say who is asking.
 * @throws FieldFault for a form that names no one, or where it isn't sure that it names who is asking (`checkTool`)
 */
export function accessOf(context: Context, { operation }: Offer): Record<string, unknown> {
	if (!hasAccess(context) || !operation.fields?.includes(access)) return {};
	checkTool(context, [access, principals]);
	const given = context.getNodeParameter(access.name, 0, access.default);
	const names = context.getNodeParameter(principals.name, 0, '');
	const refuse = ({ displayName }: Field, fault: string) => {
		const next = "so nothing was searched. Don't try again, tell the user";
		throw new FieldFault(`${displayName} of Platform Tools`, `${fault}, ${next}`);
	};
	if (!access.options?.some((each) => 'value' in each && each.value === given)) {
		refuse(access, 'must be one of its choices');
	}
	if (given === 'principals' && isBlank(names)) refuse(principals, 'must name who is asking');
	return { [access.name]: given, [principals.name]: names };
}

/** A model could give a secret, which would stand in its conversation and in the data of the execution. */
const takesSecret = (field: Field): boolean =>
	field.type === 'collection'
		? field.options.some(takesSecret)
		: field.typeOptions?.password === true;

/** The tools are in the order of the texts in the list. */
export const offers: Offer[] = Object.entries(areas)
	.flatMap(([area, resources]) =>
		resources.flatMap((resource) =>
			resource.operations.map((operation) => offerOf(area, resource, operation)),
		),
	)
	.filter(
		({ name, operation }) => !UNREADABLE.includes(name) && !operation.fields?.some(takesSecret),
	)
	.sort((one, other) => one.label.localeCompare(other.label));

/**
 * Tools of each area that Read Only and Read and Change offer. `npm run generate` writes an area that is new, and adds nothing
 * to an area that workflows may have, because an update of the package gives no model more than it had.
 */
const toolsOfArea: Record<string, { reads: string[]; changes: string[] } | undefined> = areaTools;

/** A choice of the form, such as `readOnly`, offers the tool with its area. */
const isOfAreas = ({ name, area }: Offer, areas: unknown[], offer: unknown): boolean => {
	const { reads = [], changes = [] } = areas.includes(area) ? { ...toolsOfArea[area] } : {};
	return reads.includes(name) || (offer === 'readAndChange' && changes.includes(name));
};

export const areaOptions: INodePropertyOptions[] = Object.keys(areas).map((value) => ({
	name: labelOf(value),
	value,
}));

/** Tools by the words of texts: `Customers → Charge → Create`, and in the area Customers also `Charge → Create`. */
export const toolNamesFor = (area: string): Words =>
	Object.entries(areas).flatMap(([each, resources]) =>
		resources.flatMap((resource) =>
			resource.operations.flatMap((operation): Words => {
				const text = `${resource.name} → ${operation.name}`;
				const name = nameOf(each, resource, operation);
				return [
					[`${labelOf(each)} → ${text}`, name],
					...(each === area ? [[text, name]] : []),
				] as Words;
			}),
		),
	);

function listIn({ modes = [], typeOptions }: Field): string | undefined {
	const [list] = modes.flatMap((mode) => mode.typeOptions?.searchListMethod ?? []);
	return list ?? typeOptions?.loadOptionsMethod;
}

/** Arguments whose values another tool lists, with that tool, for errors: Get Many of the picker's route, or another read. */
export const listsOf = ({ operation: { fields = [] } }: Offer): Array<[string, string]> =>
	fields.flatMap((field): Array<[string, string]> => {
		const list = listIn(field);
		if (list === undefined) return [];
		const route: string | undefined = pickerLists[list as PickerListName]?.route;
		const reads = offers.filter(({ operation: { endpoint } }) => endpoint.route === route);
		const offer = reads.find(({ operation: { value } }) => value === 'getAll') ?? reads.at(0);
		return offer ? [[argumentName(field), offer.name]] : [];
	});

/** Tools that the form offers, and those that a limit leaves out. */
export interface Offered {
	tools: Offer[];
	closed: Array<{ tool: string; limit: string }>;
}

/** @throws FieldFault if the form or its limits leave no tool, or for an operation that isn't there */
export function offeredBy(context: Context): Offered {
	const offer = context.getNodeParameter('offer', 0);
	const chosen = (name: string) => [context.getNodeParameter(name, 0, [])].flat();
	const names = offer === 'chosen' ? chosen('operations') : [];
	const areas = offer === 'chosen' ? [] : chosen('areas');
	const secrets = context.getNodeParameter('secrets', 0, false) === true;
	const limits = recordOf(context.getNodeParameter('limits', 0, {}));
	const isOfArea = (each: Offer) => (secrets || !each.isSecret) && isOfAreas(each, areas, offer);
	const found = offers.filter((each) => names.includes(each.name) || isOfArea(each));
	const unknown = names.find((name) => offers.every((each) => each.name !== name));
	if (unknown !== undefined) {
		throw new FieldFault('Operations', `has "${String(unknown)}", which this version doesn't have`);
	}
	const field = offer === 'chosen' ? 'Operations' : 'Areas';
	if (found.length === 0) throw new FieldFault(field, 'must have at least one');
	const closed = found.flatMap((each) => {
		const limit = limitAgainst(each, limits);
		return limit === undefined ? [] : [{ tool: each.name, limit: labelOf(limit) }];
	});
	const tools = found
		.filter(({ name }) => closed.every(({ tool }) => tool !== name))
		.map(
			(each) => (hasAccess(context) && each.withAccess) || (secrets && each.withSecrets) || each,
		);
	if (tools.length > 0) return { tools, closed };
	const [{ tool, limit }] = closed;
	throw new FieldFault(field, `can't offer ${tool} while ${limit} is set: ${CLOSED}`);
}

/** Why a limit leaves out an operation. */
export const CLOSED = "how much it moves or sends can't be known before";
