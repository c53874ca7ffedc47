// Form of the trigger: the events, and how their webhooks are registered and checked.
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { methods } from '../api';
import { choice, options, text, toggle, type Field } from '../engine/form/fields';

export const OTHER_EVENTS = 'other';

export const OTHER_EVENTS_LABEL = 'Other Event Names or IDs';

/** Entries of n8n's node panel. The reference shows the first two. */
const events: INodePropertyOptions[] = [
	{
		name: 'Charge Failed',
		value: 'RecurringPayments.charge.failed',
		action: 'On charge failed',
		description: 'RecurringPayments.charge.failed',
	},
	{
		name: 'Charge Paid',
		value: 'RecurringPayments.charge.paid',
		action: 'On charge paid',
		description: 'RecurringPayments.charge.paid',
	},
	{
		name: 'Other Events',
		value: OTHER_EVENTS,
		action: 'On another event',
		description: 'Any other event that your company can receive',
	},
];

/** n8n can show a text in a list only as an option. This one selects nothing. */
const NONE = 'The API offers your company no other events';

export async function otherEventTypes(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const all = await methods.loadOptions.webhookEventTypes.call(this);
	const others = all.filter(({ value }) => events.every((each) => each.value !== value));
	return others.length > 0 ? others : [{ name: NONE, value: '' }];
}

/** Ways in which the API can send the token of a webhook. */
export const tokenChecks = [
	{
		name: 'HMAC-SHA256 of the Body',
		value: 'hmac',
		description: 'The header has the signature of the raw body, in hex or Base64',
	},
	{ name: 'Header Equals Token', value: 'header', description: 'The header has the token' },
	{
		name: 'URL Secret Only',
		value: 'none',
		description: 'The registered URL has a secret, which is always checked',
	},
] as const;

export const fields: Field[] = [
	{
		// n8n's node panel lists the options of a field with this name.
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		options: events,
		default: ['RecurringPayments.charge.paid', 'RecurringPayments.charge.failed'],
		description:
			'Publishing registers a webhook for each. The API needs a public HTTPS URL of n8n.',
	},
	{
		displayName: OTHER_EVENTS_LABEL,
		name: 'otherEvents',
		type: 'multiOptions',
		required: true,
		typeOptions: { loadOptionsMethod: 'otherEventTypes' },
		default: [],
		displayOptions: { show: { events: [OTHER_EVENTS] } },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
	{
		...options([
			choice({
				displayName: 'Check Token',
				name: 'tokenCheck',
				options: [...tokenChecks],
				default: 'none',
				description: "How the API sends the webhook's token",
			}),
			toggle({
				displayName: 'Include Raw Body and Headers',
				name: 'includeRaw',
				description: 'Whether to add the unchanged body as text, and the headers',
			}),
			toggle({
				displayName: 'Remove Webhooks at Earlier URLs',
				name: 'removeEarlier',
				description:
					'Whether to remove those registered before n8n has moved. In a copy of n8n, the original would lose them.',
			}),
			text({
				displayName: 'Token Header',
				name: 'headerName',
				placeholder: 'e.g. X-Signature',
				description: 'The header for Check Token',
			}),
			text({
				displayName: 'Webhook Description',
				name: 'description',
				description: 'If empty, it names your n8n and the workflow',
			}),
			text({
				displayName: 'Webhook Name',
				name: 'name',
				description: 'If empty, the workflow and the event',
			}),
		]),
		name: 'settings',
	},
	{
		// With this default n8n doesn't parse the body. So invalid JSON and unknown types arrive too, and the signature is checked
		// over the raw bytes.
		displayName: 'Unparsed Body',
		name: 'options',
		type: 'hidden',
		default: { binaryData: true },
	},
];
