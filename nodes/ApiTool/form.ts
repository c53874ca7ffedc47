// The form of Platform Tools: which tools it offers, and their policy.
import type { IDataObject } from 'n8n-workflow';

import { choice, collection, notice, number, toggle, type Field } from '../shared/fields';
import { FieldFault, recordOf, type Operation } from '../shared/operation';
import { waitSettings } from '../shared/subNode';
import { areaOptions, offers, operationOptions, type Offer } from './catalog';
import type { Context, Policy } from './policy';

const REVIEW = `={{ JSON.stringify($json.toolParameters).replace(/[<>&]/g, '') }}`;

const fixed = { noDataExpression: true, send: false } as const;

const limit = (name: string, description: string, minValue = 1): Field =>
	number({ name, description, default: minValue, typeOptions: { minValue }, ...fixed });

const fields: Field[] = [
	choice({
		displayName: 'Tools',
		name: 'offer',
		default: 'reads',
		...fixed,
		options: [
			{ name: 'All of Areas', value: 'all', description: 'Everything, also what changes data' },
			{ name: 'Chosen Operations', value: 'chosen' },
			{ name: 'Reads of Areas', value: 'reads', description: 'Only what changes nothing' },
		],
		description: 'Which operations the agent gets as tools',
	}),
	{
		...choice({ name: 'areas', ...fixed, displayOptions: { show: { offer: ['all', 'reads'] } } }),
		type: 'multiOptions',
		options: areaOptions,
		required: true,
		default: ['customers'],
		description: 'Areas of the API whose operations are tools',
	},
	{
		...choice({ name: 'operations', ...fixed, displayOptions: { show: { offer: ['chosen'] } } }),
		type: 'multiOptions',
		options: operationOptions,
		required: true,
		default: [],
		description: 'Operations that are tools',
	},
	toggle({
		displayName: 'Include Secrets',
		name: 'secrets',
		...fixed,
		displayOptions: { show: { offer: ['all', 'reads'] } },
		description:
			'Whether to offer what returns or takes secrets, such as payment links and webhook tokens',
	}),
	{
		...notice(
			`These tools can change data. Let a person approve what moves money or sends email: give such an operation a Platform Tools node of its own, connect it to a review node, and set the review's message to <code>${REVIEW}</code>`,
		),
		displayOptions: { show: { offer: ['all', 'chosen'] } },
	},
	toggle({
		displayName: 'The Same Change Only Once',
		name: 'onceOnly',
		default: true,
		...fixed,
		displayOptions: { show: { offer: ['all', 'chosen'] } },
		description:
			"Whether a tool refuses to make the same change twice in one execution. Can't hold for MCP clients and in n8n's own Agents.",
	}),
	{
		...collection(
			'limits',
			'limit',
		)([
			limit('maxAmount', 'Max amount of one charge or payout. Holds everywhere.', 0),
			limit('maxCalls', 'Max number of calls of all tools in one execution'),
			limit('maxChanges', 'Max number of changes in one execution'),
			limit('maxRecipients', 'Max number of recipients of all newsletters in one execution'),
			{
				...limit('maxRows', 'Max rows that a list gives to the model. Holds everywhere.'),
				default: 10,
			},
			limit('maxTotal', 'Max sum of all charges and payouts in one execution', 0),
		]),
		send: false,
		description:
			"Limits of one execution. For MCP clients and in n8n's own Agents each call is one, so only those that hold everywhere can be set.",
	},
	waitSettings,
];

/** The form as an operation without an endpoint of its own. */
export const form: Pick<Operation, 'fields'> = { fields };

/** The offered operations, in the order of the list. */
export function offeredBy(context: Context): Offer[] {
	const offer = context.getNodeParameter('offer', 0);
	const chosen = (name: string) => [context.getNodeParameter(name, 0, [])].flat();
	const names = offer === 'chosen' ? chosen('operations') : [];
	const areas = offer === 'chosen' ? [] : chosen('areas');
	const secrets = context.getNodeParameter('secrets', 0, false) === true;
	const found = offers.filter(
		({ name, area, changes, isSecret }) =>
			names.includes(name) ||
			(areas.includes(area) && (secrets || !isSecret) && (offer === 'all' || !changes)),
	);
	const unknown = names.find((name) => offers.every((each) => each.name !== name));
	if (unknown !== undefined) {
		throw new FieldFault('Operations', `has "${String(unknown)}", which this version doesn't have`);
	}
	if (found.length > 0) return found;
	throw new FieldFault(offer === 'chosen' ? 'Operations' : 'Areas', 'must have at least one');
}

/** @throws FieldFault for a limit that isn't a number */
export function policyOf(context: Context): Policy {
	const limits: IDataObject = recordOf(context.getNodeParameter('limits', 0, {}));
	for (const [name, value] of Object.entries(limits)) {
		const isLimit = typeof value === 'number' && Number.isFinite(value) && value >= 0;
		if (!isLimit) throw new FieldFault(`Limits: ${name}`, 'must be a number');
	}
	const onceOnly = context.getNodeParameter('onceOnly', 0, true) !== false;
	return { ...limits, maxRows: Number(limits.maxRows ?? 10), onceOnly };
}
