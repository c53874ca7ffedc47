// Form of the trigger and URL of n8n -> the webhooks to register.
import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { recordOf } from '../engine/base/data';
import { isBlank } from '../engine/node/trigger';
import { OTHER_EVENTS, OTHER_EVENTS_LABEL, tokenChecks } from './fields';
import type { Wish } from './state';
import { markOf, urlFor } from './urls';

const localHost = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/i;

/** URL of this node's webhook, if it's public. */
export function publicUrl(context: IHookFunctions): string | undefined {
	const url = context.getNodeWebhookUrl('default') ?? '';
	if (!URL.canParse(url)) return undefined;
	const { protocol, hostname } = new URL(url);
	return protocol === 'https:' && !localHost.test(hostname) ? url : undefined;
}

/** The editor listens for a test event. */
const isTest = (context: IHookFunctions) => context.getActivationMode() === 'manual';

/** Names the variables that set the URL. */
function notPublic(context: IHookFunctions): NodeOperationError {
	const url = context.getNodeWebhookUrl('default') ?? '';
	// Test webhooks have settings of their own. `older` sets the URL in older n8n.
	const [name, older] = isTest(context)
		? ['test webhook URL', 'N8N_EDITOR_BASE_URL, or WEBHOOK_URL if that is not set']
		: ['webhook URL', 'WEBHOOK_URL'];
	// The path would fill half of what n8n shows of this message.
	const start = URL.canParse(url) ? new URL(url).origin : url;
	const present = url === '' ? `this n8n has no ${name}` : `the ${name} starts with ${start}`;
	return new NodeOperationError(
		context.getNode(),
		`The Platform API only sends events to public HTTPS URLs, but ${present}. Set n8n's environment variable N8N_WEBHOOK_URL (in older n8n ${older}) to the public https:// URL of n8n, then restart n8n. Without one, use the Platform Polling Trigger.`,
	);
}

export type TokenCheck = (typeof tokenChecks)[number]['value'];

/** An option that gives no check is undefined, so nothing then passes unchecked. */
export const tokenCheckOf = (settings: Record<string, unknown>): TokenCheck | undefined =>
	Object.hasOwn(settings, 'tokenCheck')
		? tokenChecks.find(({ value }) => value === settings.tokenCheck)?.value
		: 'none';

const textOr = (given: unknown, other: string) => (isBlank(given) ? other : String(given));

/** Mark of the node, which its URLs have in their query (`markOf`). */
export const markFor = (context: Pick<IHookFunctions, 'getWorkflow' | 'getNode'>) =>
	markOf(String(context.getWorkflow().id), context.getNode().id);

export interface Target {
	base: string;
	mark: string;
	events: string[];
	nameOf: (event: string) => string;
	description: string;
	tokenCheck: TokenCheck;
}

type Form = Pick<IHookFunctions, 'getNodeParameter'>;

/** An expression may give a single event as text. */
const chosenIn = (context: Form, name: string): string[] =>
	[context.getNodeParameter(name, [])]
		.flat()
		.map((event) => textOr(event, '').trim())
		.filter((event) => event !== '');

/** `empty` is the label of a field that must have events and has none. */
export function chosenEvents(context: Form): { events: string[]; empty?: string } {
	const named = chosenIn(context, 'events');
	const others = named.includes(OTHER_EVENTS) ? chosenIn(context, 'otherEvents') : undefined;
	const known = named.filter((event) => event !== OTHER_EVENTS);
	const ofOthers = others?.length === 0 ? OTHER_EVENTS_LABEL : undefined;
	return {
		events: [...new Set([...known, ...(others ?? [])])],
		empty: named.length === 0 ? 'Events' : ofOthers,
	};
}

/** @throws NodeOperationError for a fault in the form, or if the URL of n8n isn't public */
export function targetOf(context: IHookFunctions): Target {
	const base = publicUrl(context);
	if (base === undefined) throw notPublic(context);
	const { events, empty } = chosenEvents(context);
	if (empty !== undefined) {
		const message = `"${empty}" must not be empty: choose at least one.`;
		throw new NodeOperationError(context.getNode(), message);
	}
	const settings = recordOf(context.getNodeParameter('settings', {}));
	const tokenCheck = tokenCheckOf(settings);
	if (tokenCheck === undefined) {
		const message = '"Check Token" has an expression that gives none of its choices.';
		const description = `It must give ${tokenChecks.map(({ value }) => value).join(', ')}. Without the option, only the secret of the URL is checked.`;
		throw new NodeOperationError(context.getNode(), message, { description });
	}
	if (tokenCheck !== 'none' && isBlank(settings.headerName)) {
		const message = '"Check Token" needs the name of the header: set "Token Header" in Options.';
		throw new NodeOperationError(context.getNode(), message);
	}
	const { id = '', name: workflow = id } = context.getWorkflow();
	// Shows where a webhook comes from, if n8n leaves it behind.
	const origin = `Registered by n8n at ${new URL(base).host} for the workflow "${workflow}" (ID ${id})`;
	return {
		base,
		mark: markFor(context),
		events,
		// A service may refuse a name that another webhook has, such as that of the published workflow.
		nameOf: (event) =>
			`${textOr(settings.name, `n8n: ${workflow} (${event})`)}${isTest(context) ? ' (test)' : ''}`,
		description: textOr(
			settings.description,
			`${origin}. Removed when the workflow is unpublished.`,
		),
		tokenCheck,
	};
}

export function wishFor({ base, mark, nameOf, description }: Target, event: string): Wish {
	return { event, url: urlFor(base, event, mark), name: nameOf(event), description };
}
