// The operations of all action nodes as tools: their names, and what they may do.
import type { INodePropertyOptions } from 'n8n-workflow';

import { resources as aiGateway } from '../AiGateway/PlatformAiGateway.node';
import { resources as company } from '../Company/PlatformCompany.node';
import { resources as contentBox } from '../ContentBox/PlatformContentBox.node';
import { resources as customers } from '../Customers/PlatformCustomers.node';
import { resources as dns } from '../Dns/PlatformDns.node';
import { resources as identity } from '../Identity/PlatformIdentity.node';
import { resources as newsletters } from '../Newsletters/PlatformNewsletters.node';
import { resources as partners } from '../Partners/PlatformPartners.node';
import { resources as recurringPayments } from '../RecurringPayments/PlatformRecurringPayments.node';
import { resources as scheduler } from '../Scheduler/PlatformScheduler.node';
import { resources as webhooks } from '../Webhooks/PlatformWebhooks.node';
import { resources as workflows } from '../Workflows/PlatformWorkflows.node';
import { onlyReads } from '../shared/endpoints';
import type { Field } from '../shared/fields';
import type { Operation, Resource } from '../shared/operation';

/** Areas by value, with their names and resources. */
const areas: Record<string, [name: string, resources: Resource[]]> = {
	aiGateway: ['AI Gateway', aiGateway],
	company: ['Company', company],
	contentBox: ['Content Box', contentBox],
	customers: ['Customers', customers],
	dns: ['DNS', dns],
	identity: ['Identity', identity],
	newsletters: ['Newsletters', newsletters],
	partners: ['Partners', partners],
	recurringPayments: ['Recurring Payments', recurringPayments],
	scheduler: ['Scheduler', scheduler],
	webhooks: ['Webhooks', webhooks],
	workflows: ['Workflows', workflows],
};

/** An operation as a tool. */
export interface Offer {
	/** Name for the model: `create_charge`. Never renamed, since prompts and workflows have it. */
	name: string;
	area: string;
	/** Shown in the list of operations. */
	label: string;
	operation: Operation;
	/** It changes something, or costs money. */
	changes: boolean;
	/** A secret is returned or has to be given. */
	isSecret: boolean;
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const plural = (noun: string) => `${noun.replace(/y$/, 'ie')}s`;

/** Names that don't follow from resource and operation, or would be taken twice. */
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

function nameOf(area: string, { value: resource }: Resource, { value }: Operation): string {
	const key = `${resource}.${value}`;
	const noun = snake(resource);
	if (value === 'getAll') return named[`${area}.${key}`] ?? named[key] ?? `list_${plural(noun)}`;
	if (value === 'upsert') return `create_or_update_${noun}`;
	const [verb, ...rest] = snake(value).split('_');
	return named[key] ?? [verb, noun, ...rest].join('_');
}

/** Operations whose output no model can read: files, PDF as base64, vectors. */
const UNREADABLE = ['download_payout_report', 'get_payout_report', 'create_embedding'];

/** Operations that return a secret: payment links, tokens, seeds and codes. */
const SECRET = [
	'create_webhook',
	'generate_backup_codes',
	'get_customer_payment_link',
	'get_webhook',
	'list_webhooks',
	'set_up_otp',
];

/** True for a field that no model may fill in. */
export const isPassword = ({ typeOptions }: Field): boolean => typeOptions?.password === true;

function offerOf(area: string, resource: Resource, operation: Operation): Offer {
	const name = nameOf(area, resource, operation);
	const [areaName] = areas[area];
	const changes = !onlyReads(operation.route);
	const needsSecret = (operation.fields ?? []).some(isPassword);
	const what = changes ? `${operation.action} · changes data` : operation.action;
	const label = `${areaName}: ${what}`;
	const isSecret = SECRET.includes(name) || needsSecret;
	return { name, area, label, operation, changes, isSecret };
}

/** All tools, sorted by what the list shows. */
export const offers: Offer[] = Object.entries(areas)
	.flatMap(([area, [, resources]]) =>
		resources.flatMap((resource) =>
			resource.operations.map((operation) => offerOf(area, resource, operation)),
		),
	)
	.filter(({ name }) => !UNREADABLE.includes(name))
	.sort((one, other) => one.label.localeCompare(other.label));

export const areaOptions: INodePropertyOptions[] = Object.entries(areas).map(([value, [name]]) => ({
	name,
	value,
}));

export const operationOptions: INodePropertyOptions[] = offers.map(({ name, label }) => ({
	name: label,
	value: name,
}));
