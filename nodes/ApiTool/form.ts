// The form of Platform Tools: its tools, and their policy.
import { choice, collection, notice, number, toggle, type Field } from '../engine/form/fields';
import { waitSettings } from '../engine/node/subNode';
import { areaOptions, offers } from './catalog';

const REVIEW = `={{ JSON.stringify($json.toolParameters).replace(/[<>&]/g, '') }}`;

const fixed = { noDataExpression: true, send: false } as const;

const limit = (name: string, description: string, minValue = 1, standard = minValue): Field =>
	number({ name, description, default: standard, typeOptions: { minValue }, ...fixed });

const shownFor = (...offer: string[]) => ({ displayOptions: { show: { offer } } });

export const fields: Field[] = [
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
		description: 'Operations that the agent gets as tools',
	}),
	{
		...choice({ name: 'areas', ...fixed, ...shownFor('all', 'reads') }),
		type: 'multiOptions',
		options: areaOptions,
		required: true,
		default: ['customers'],
		description: 'Areas of the API whose operations are tools',
	},
	{
		...choice({ name: 'operations', ...fixed, ...shownFor('chosen') }),
		type: 'multiOptions',
		options: offers.map(({ name: value, label: name }) => ({ name, value })),
		required: true,
		default: [],
		description: 'Operations that are tools',
	},
	toggle({
		displayName: 'Include Secrets',
		name: 'secrets',
		...fixed,
		description:
			'Whether to offer what returns secrets, such as payment links and webhook tokens. What takes a secret is never offered.',
	}),
	{
		...notice(
			`These tools can change data. Let a person approve what moves money or sends email: give each such operation a Platform Tools node of its own behind a review node, and set the message of the review to <code>${REVIEW}</code>.`,
		),
		...shownFor('all', 'chosen'),
	},
	toggle({
		displayName: 'The Same Change Only Once',
		name: 'onceOnly',
		default: true,
		...fixed,
		...shownFor('all', 'chosen'),
		description:
			"Whether to refuse the same change a second time in one execution. Can't hold for MCP clients and in n8n's own Agents.",
	}),
	{
		...collection(
			'limits',
			'limit',
		)([
			limit(
				'maxAmount',
				'Max amount of one charge, payout or record of usage. Holds everywhere.',
				0,
			),
			limit('maxCalls', 'Max number of calls of all tools in one execution'),
			limit('maxChanges', 'Max number of changes in one execution'),
			limit('maxRecipients', 'Max number of recipients of all newsletters in one execution'),
			limit('maxRows', 'Max rows that a read gives to the model. Holds everywhere.', 1, 10),
			limit('maxTotal', 'Max sum of all charges, payouts and usage in one execution', 0),
		]),
		send: false,
		description:
			"For MCP clients and in n8n's own Agents each call is one execution, so only limits that hold everywhere can be set there",
	},
	waitSettings,
];
