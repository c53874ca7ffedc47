// What a field that only the triggers and Platform Tools have does with nothing, 0, false and blank text: each has its end, by the
// kind of value. A field that a form gets needs its own by being there.
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { expectNone } from '../none.cts';
import { packageNodes } from './host/package.cts';
import { Poller } from './host/poller.cts';
import { credentialOf, sandboxFor } from './host/run.cts';
import { useTools } from './host/tool.cts';
import { TriggerWorkflow } from './host/trigger.cts';

const sandbox = sandboxFor({ customers: 5 });

const kinds = {
	nothing: ['={{ undefined }}', '={{ null }}', '={{ [] }}', '={{ ({}) }}', '={{ "" }}'],
	zero: ['={{ 0 }}', '={{ "0" }}'],
	no: ['={{ false }}', '={{ "false" }}'],
	blank: ['', '  '],
};

type Kind = keyof typeof kinds;

/**
 * - `refused`: an error names the field, and nothing is sent.
 * - `unset`: the same as without the field.
 * - `used`: something else than without it.
 */
type End = 'refused' | 'unset' | 'used';

type Ends = Record<Kind, End>;

const ends = (nothing: End, zero: End, no: End, blank: End): Ends => ({ nothing, zero, no, blank });

const REQUIRED = ends('refused', 'used', 'used', 'refused');
const CHOICE = ends('refused', 'refused', 'refused', 'refused');
/** One that gives nothing would let through all that it should keep out. One that is left blank isn't there. */
const FILTER = ends('refused', 'used', 'used', 'unset');
const LABEL = ends('unset', 'used', 'used', 'unset');
/** A switch that is on only if the form says so. */
const OFF = ends('unset', 'unset', 'unset', 'unset');

interface Own {
	/** What comes of a form: whatever differs where a field does something. Throws what a user is told. */
	run: (form: INodeParameters) => Promise<unknown>;
	/** By field, those of a collection with its name before them. With the rest of the form that shows it. */
	fields: Record<string, [Ends, form?: INodeParameters]>;
}

const polled = (event: string, form: INodeParameters = {}): INodeParameters => ({ event, ...form });

const own: Record<string, Own> = {
	platformPollingTrigger: {
		run: async (form) => {
			const poller = new Poller(sandbox(), form, 1.1);
			const items = await poller.publish();
			const [, watching] = /"watching":"([^"]*)"/.exec(poller.memory) ?? [];
			const rows = items?.map(({ detectedAt: _at, ...row }) => row);
			return { rows, watching, warnings: poller.warnings };
		},
		fields: {
			event: [CHOICE],
			knowledgeBaseId: [REQUIRED, polled('documentStatusChanged', { documentIds: 'ado-1' })],
			workflowId: [REQUIRED, polled('workflowRunFinished')],
			partnerId: [FILTER, polled('payoutStatusChanged')],
			documentIds: [REQUIRED, polled('documentStatusChanged', { knowledgeBaseId: 'akb-3' })],
			urlStart: [REQUIRED, polled('registeredWebhookMissing')],
			payoutStatuses: [FILTER, polled('payoutStatusChanged')],
			statuses: [FILTER, polled('newsletterStatusChanged')],
			watchedFields: [FILTER, polled('customerChanged')],
			subscriptionFields: [REQUIRED, polled('subscriptionChanged')],
			includeExisting: [ends('unset', 'refused', 'unset', 'unset'), polled('newCustomer')],
			simplify: [
				ends('used', 'refused', 'used', 'used'),
				polled('newCustomer', { includeExisting: true }),
			],
		},
	},
	platformCustomersTrigger: {
		run: async (form) => {
			const { webhooks } = sandbox().state.webhooks;
			const workflow = new TriggerWorkflow(credentialOf(sandbox()), form);
			try {
				await workflow.publish();
				const rows = webhooks.rows.map(({ name, events }) => ({ name, events }));
				const descriptions = webhooks.rows.map(({ description }) =>
					String(description).replace(/workflow-\d+/, ''),
				);
				const [{ url }] = webhooks.rows;
				const { status, items } = await workflow.deliver({
					url,
					headers: { '0': 'x' },
					body: '{}',
				});
				return { rows, descriptions, status, raw: items[0]?.json.rawBody };
			} finally {
				for (const { id } of [...webhooks.rows]) webhooks.remove(id);
			}
		},
		fields: {
			events: [REQUIRED],
			otherEvents: [REQUIRED, { events: ['other'] }],
			'settings.tokenCheck': [CHOICE],
			'settings.headerName': [REQUIRED, { settings: { tokenCheck: 'header' } }],
			'settings.includeRaw': [OFF],
			'settings.removeEarlier': [OFF],
			'settings.description': [LABEL],
			'settings.name': [LABEL],
		},
	},
	platformApiTool: {
		run: async (form) => {
			let names: string[] = [];
			const read = async (tools: Record<string, { invoke(args: object): Promise<string> }>) => {
				names = Object.keys(tools).sort();
				await tools.list_customers?.invoke({});
			};
			const tool = { node: 'platformApiTool', parameters: form, settings: { typeVersion: 1.1 } };
			await useTools([tool], credentialOf(sandbox()), read as never);
			return names;
		},
		fields: {
			// Without one of its choices there are no areas, so it offers nothing.
			offer: [ends('used', 'used', 'used', 'used')],
			areas: [CHOICE],
			operations: [CHOICE, { offer: 'chosen' }],
			secrets: [OFF],
			onceOnly: [OFF, { offer: 'readAndChange' }],
		},
	},
};

const labels = (properties: INodeProperties[], before = ''): Array<[string, string]> =>
	properties.flatMap(({ name, displayName, type, options }) => {
		const inside = type === 'collection' ? (options as INodeProperties[]) : undefined;
		if (inside) return labels(inside, `${name}.`);
		return ['notice', 'hidden'].includes(type) ? [] : [[`${before}${name}`, displayName]];
	});

const withField = (form: INodeParameters, field: string, value: string): INodeParameters => {
	const [group, name] = field.split('.');
	if (name === undefined) return { ...form, [field]: value };
	return {
		...form,
		[group]: { ...(form[group] as IDataObject), [name]: value } as INodeParameters,
	};
};

const told = async (run: Own['run'], form: INodeParameters) =>
	await run(form).then(
		(done) => ({ done: JSON.stringify(done), error: undefined }),
		({ message, description = '' }: Error & { description?: string }) => ({
			done: undefined,
			error: `${message} ${description}`,
		}),
	);

describe.each(Object.entries(own))('%s', (node, { run, fields }) => {
	const shown = new Map(labels(packageNodes()[node].description.properties));

	test('each of its fields has an end', () => {
		const checked = /^(limits|requests)\.|^access/;
		expectNone(
			[...shown.keys()].filter((name) => !checked.test(name) && !(name in fields)),
			'Say in the table above what the field does with nothing, 0, false and blank text.',
		);
	});

	test.each(Object.entries(fields))('%s', async (field, [fieldEnds, form = {}]) => {
		const without = await told(run, form);
		const wrong: string[] = [];
		for (const [kind, values] of Object.entries(kinds)) {
			for (const value of values) {
				const posts = sandbox().requests.filter(({ method }) => method !== 'GET').length;
				const { done, error } = await told(run, withField(form, field, value));
				const isRefused = error?.includes(`"${shown.get(field)}"`) ?? false;
				const isSame = done === without.done && error === without.error;
				const end: End = isRefused ? 'refused' : isSame ? 'unset' : 'used';
				const after = sandbox().requests.filter(({ method }) => method !== 'GET').length;
				const expected = fieldEnds[kind as Kind];
				if (end !== expected || (isRefused && after > posts))
					wrong.push(`${kind} ${JSON.stringify(value)}: ${end} for ${expected}: ${error ?? done}`);
				expect(error ?? '').not.toMatch(
					/destructure|is not a|reading '|Nothing found for "undefined"/,
				);
			}
		}
		expectNone(wrong, 'The field does something else with such a value.');
	});
});
