// The form of Platform Tools: its tools, and their policy.
import { access, principals } from '../AiGateway/access';
import { choice, collection, notice, number, toggle, type Field } from '../engine/form/fields';
import { waitSettings } from '../engine/node/subNode';
import { areaOptions, offers } from './catalog';

const EXAMPLE =
	'https://github.com/platform-api/n8n-nodes-platform-api/blob/main/examples/25-agent-with-reads-and-one-charge.json';

/** The end of the description of a limit that can't measure everything. */
const CLOSES = "Execute step lists what isn't offered then.";

const fixed = { noDataExpression: true, send: false } as const;

const limit = (name: string, description: string, minValue = 1, standard = minValue): Field =>
	number({ name, description, default: standard, typeOptions: { minValue }, ...fixed });

const shownFor = (...offer: string[]) => ({ displayOptions: { show: { offer } } });

/** A model must not choose who is asking, where knowledge bases can be searched. */
const accessFields = (where: Record<string, string[]>): Field[] =>
	[access, principals].map((field) => ({
		...field,
		displayOptions: { show: { ...field.displayOptions?.show, ...where } },
	}));

export const fields: Field[] = [
	choice({
		displayName: 'Tools',
		name: 'offer',
		default: 'readOnly',
		...fixed,
		options: [
			{ name: 'Read Only', value: 'readOnly', description: 'What changes nothing in these areas' },
			{ name: 'Read and Change', value: 'readAndChange', description: 'All of these areas' },
			{ name: 'Chosen Operations', value: 'chosen' },
		],
		description:
			'Operations that the agent gets as tools. Execute step lists them. An update of the package adds none.',
	}),
	{
		...choice({ name: 'areas', ...fixed, ...shownFor('readAndChange', 'readOnly') }),
		type: 'multiOptions',
		options: areaOptions,
		required: true,
		default: ['customers', 'recurringPayments'],
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
			'Whether to offer what returns secrets, and URLs that stored keys are sent to. What takes a secret is never offered.',
	}),
	...accessFields({ offer: ['readAndChange', 'readOnly'], areas: ['aiGateway'] }),
	...accessFields({ offer: ['chosen'], operations: ['search_knowledge_base'] }),
	{
		...notice(
			`These tools can change data. Have a person approve what moves money or sends email, as in <a href="${EXAMPLE}">this example</a>.`,
		),
		...shownFor('chosen', 'readAndChange'),
	},
	toggle({
		displayName: 'The Same Change Only Once',
		name: 'onceOnly',
		default: true,
		...fixed,
		...shownFor('chosen', 'readAndChange'),
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
				`Max amount of one charge, payout or usage. Holds everywhere. ${CLOSES}`,
				0,
			),
			limit('maxCalls', 'Max calls of all tools in one execution'),
			limit('maxChanges', 'Max changes in one execution'),
			limit('maxRecipients', `Max recipients of all newsletters in one execution. ${CLOSES}`),
			limit(
				'maxRows',
				'Max rows that a read gives to the model, which gets 10 unless it asks for more. Holds everywhere.',
				1,
				100,
			),
			limit('maxTotal', `Max sum of all charges, payouts and usage in one execution. ${CLOSES}`, 0),
		]),
		send: false,
		description:
			"For MCP clients and in n8n's own Agents each call is one execution, so only limits that hold everywhere can be set there",
	},
	waitSettings,
];
