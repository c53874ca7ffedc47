// A scene: an operation with one level of each of its features, run for several items against the sandbox, and what must hold
// whatever has met whatever.
import { get, type IncomingMessage } from 'node:http';
import { json as jsonIn } from 'node:stream/consumers';
import { NodeConnectionTypes, type IDataObject, type INodeExecutionData } from 'n8n-workflow';
import { platform } from '../../dist/nodes/api/platform.js';
import { OutputFields } from '../../dist/nodes/engine/form/options.js';
import type { ApiRequest } from '../../nodes/engine/base/apiRequest.ts';
import type { Field, Send } from '../../nodes/engine/form/fields.ts';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import { credentialOf, run } from '../execution/host/run.cts';
import { useSubNode } from '../execution/host/subNode.cts';
import { runTools } from '../execution/host/tool.cts';
import type { LoggedRequest, Sandbox } from '../sandbox/index.cts';
import { existingForm, valueOf } from '../table/existing.cts';
import { located, type Form } from '../table/forms.cts';
import { onlyReads, partsOf, shapeOf, type TableEntry } from '../table/operations.cts';
import { requestOf } from '../table/requests.cts';
import { fixedValues } from '../table/samples.cts';
import { HELD, REFUSED, type Feature, type Scene } from './pairs.cts';

const isRecord = (value: unknown): value is Form =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const recordOf = (value: unknown): Form => (isRecord(value) ? value : {});

const at = (value: unknown, place: string): unknown =>
	place
		.split('.')
		.filter(Boolean)
		.reduce<unknown>((outer, name) => recordOf(outer)[name], value);

/** Sets a value at a dotted place. */
function put(form: Form, [name, ...rest]: string[], value: unknown): Form {
	return { ...form, [name]: rest.length > 0 ? put(recordOf(form[name]), rest, value) : value };
}

/** Input items of a scene. The third one has the Idempotency Key of the first, where they share keys. */
const ITEMS = 3;

let scenes = 0;

/** Whose value it is: that of an item of a scene. */
interface Own {
	index: number;
	/** Number of the scene. */
	serial: number;
}

/** One input item: its form, its data, and what the form asks for. */
interface Item {
	form: Form;
	json: IDataObject;
	/** Undefined for a form that the nodes refuse. */
	request?: ApiRequest;
	refusal?: string;
}

/** A value of an item's own, in the format of the field. */
function personal(field: Field, { index, serial }: Own): unknown {
	const { format, maxLength }: Send = field.send || {};
	const value = valueOf(field);
	if (format === 'email') return `item-${index}.${serial}@example.com`;
	if (field.name === 'customerField') return 'id';
	const isFree = typeof value === 'string' && value.startsWith('sample ');
	return isFree ? `item-${index} ${serial} ${field.name}`.slice(0, maxLength) : value;
}

/** Values of the fields that columns fill. */
const columnsOf = ({ send }: Field, own: Own): IDataObject =>
	Object.fromEntries(
		((send && send.columns) || []).map((field) => [field.name, personal(field, own)]),
	) as IDataObject;

/** What the form has at a level of a feature. */
function valueAt({ field, name }: Feature, level: string, own: Own): unknown {
	if (!field) return level;
	const { index, serial } = own;
	const { as, emptyList }: Send = field.send || {};
	const text = level.replace(REFUSED, '');
	if (name === 'idempotencyKey') {
		return `key-${serial}-${level === 'shared' ? index % (ITEMS - 1) : index}`;
	}
	if (emptyList) return text === 'nobody' ? '[]' : JSON.stringify([`group:item-${index}`]);
	if (level === 'empty') return '';
	switch (field.type) {
		case 'boolean':
			return text === 'true';
		case 'number':
			return Number(text);
		case 'json':
			return as === '*' ? JSON.stringify({ remark: `item-${index}` }) : personal(field, own);
		case 'resourceMapper': {
			const value = text === 'defineBelow' ? columnsOf(field, own) : null;
			return { mappingMode: text, value };
		}
		case 'resourceLocator':
			return level === 'given' ? personal(field, own) : located(field, level);
		default:
			break;
	}
	if (name === 'options.outputFields') return 'id';
	return level === 'given' ? personal(field, own) : level;
}

/** The smallest form, with ids of the seeds for items that each have a record of their own, by the form's field. */
function ownIds(sandbox: Sandbox, entry: TableEntry, { index, serial }: Own): Form {
	const { state } = sandbox;
	const form = existingForm(sandbox, entry);
	// Not every record of the seeds can be deleted.
	if (entry.operation.endpoint.method === 'DELETE') return form;
	// The first and the last are the same new customer, the one between is known.
	if (form.matchBy) {
		const known = state.customers.customers.rows.find(({ externalId }) => externalId);
		const fresh = { externalId: `scene-${serial}`, email: `scene-${serial}@example.com` };
		const { externalId, email } = index === 1 ? known! : fresh;
		return { ...form, externalId, email };
	}
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });
	const rows: Record<string, ReadonlyArray<{ id: string }>> = {
		customerId: state.customers.customers.rows,
		partnerId: state.partners.partners.rows,
		contentId: state.contentBox.contents.rows,
		workflowId: state.workflows.workflows.rows,
	};
	const fields = Object.keys(form).filter((name) => name.endsWith('Id'));
	// Each payout has its own.
	if (form.invoiceNumber) return { ...form, invoiceNumber: `invoice-${serial}-${index}` };
	if (form.subscriptionId) {
		const { id, customerId } = state.subscriptions.subscriptions.rows[index];
		return { ...form, customerId: byId(customerId), subscriptionId: byId(id) };
	}
	if (fields.length !== 1 || !rows[fields[0]]?.[index]) return form;
	const isSeed = rows[fields[0]].some(({ id }) => id === recordOf(form[fields[0]]).value);
	return isSeed ? { ...form, [fields[0]]: byId(rows[fields[0]][index].id) } : form;
}

/** A document of a URL is never indexed in the sandbox. */
const WAIT: Form = { waitInterval: 1, waitTimeout: 1 };

/** No model fills in a group of fields as a whole. */
const isOutOfReach = ({ field, name }: Feature, scene: Scene) =>
	scene['@tool'] === 'true' && scene[name] === 'empty' && field?.type === 'fixedCollection';

/** The form of an item without what its scene adds. */
function startOf({ sandbox, entry, version }: Scenery, own: Own, top: Form): Form {
	const { fields = [] } = entry.operation;
	const form: Form = { ...ownIds(sandbox, entry, own), ...top };
	for (const { name, inOptions, chosenBy } of version > 1 ? fields : []) {
		if (inOptions || chosenBy) delete form[name];
	}
	return fields.some(({ name }) => name in WAIT) ? { ...form, ...WAIT } : form;
}

/** The form of an item. */
async function formOf(scenery: Scenery, own: Own): Promise<Form> {
	const { entry, features, scene } = scenery;
	const fixed = fixedValues(entry);
	const top = Object.fromEntries(Object.entries(fixed).filter(([name]) => name.endsWith('Json')));
	let form = startOf(scenery, own, top);
	const level = (name: string) => scene[name] ?? '';
	for (const feature of features) {
		const { field, name } = feature;
		if (level(name) === '' || !field || isOutOfReach(feature, scene)) continue;
		const place = name.split('.');
		if (place.at(-1) === '*' && field.type === 'collection') {
			for (const each of field.options) {
				const key = [...place.slice(0, -1), each.name];
				const isFeature = features.some((other) => other.name === key.join('.'));
				const isGiven = at(form, key.join('.')) !== undefined;
				if (isFeature || isGiven || each.type === 'collection') continue;
				form = put(form, key, at(fixed, key.join('.')) ?? personal(each, own));
			}
			continue;
		}
		// What new nodes have in Options.
		const moved = place[0] === 'options' ? top[place[1]] : undefined;
		form = put(form, place, moved ?? valueAt(feature, level(name), own));
	}
	return await withFilters(scenery, form, own);
}

/** The form with values of rows for its filters, so that they match. */
async function withFilters(
	{ sandbox, entry, scene }: Scenery,
	form: Form,
	own: Own,
): Promise<Form> {
	const filters = Object.keys(recordOf(form.filters)).filter(
		(name) => scene[`filters.${name}`] === 'given',
	);
	if (!entry.operation.reading || filters.length === 0) return form;
	const { filters: _filters, ...whole } = form;
	const [first] = await allRows(sandbox, requestOf(entry, whole), entry.operation);
	return filters.reduce((filled, name) => {
		const place = filteredField(entry.operation, name) ?? '';
		const value = [at(first, place)].flat()[0] ?? `item-${own.index}`;
		return put(filled, ['filters', name], String(value));
	}, form);
}

/** The rows of a list as the service has them, asked for without the nodes. */
async function allRows(
	{ baseUrl, key }: Sandbox,
	{ path, query = {} }: ApiRequest,
	operation: Operation,
): Promise<unknown[]> {
	const shape = shapeOf(operation);
	if (shape.kind !== 'list' && shape.kind !== 'strings') return [];
	const rows = new Map<string, unknown>();
	for (let page = 1; ; page++) {
		const paging = shape.paging === 'paged' ? { page, size: 100 } : {};
		const texts = Object.entries({ ...query, ...paging }).map(([name, value]) => [
			name,
			String(value),
		]);
		const url = `${baseUrl}${platform.credential.basePath}${path}?${new URLSearchParams(texts).toString()}`;
		const headers = { authorization: `Bearer ${key}` };
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			get(url, { headers }, resolve).on('error', reject);
		});
		const body: unknown = await jsonIn(response);
		const found = Array.isArray(body)
			? body
			: ((at(body, shape.items || 'elements') ?? []) as unknown[]);
		const before = rows.size;
		for (const row of found) rows.set(JSON.stringify(row), row);
		if (rows.size === before || shape.paging !== 'paged') return [...rows.values()];
	}
}

/** The ID of a record in the path, which a row names if it doesn't have it by either of its names. */
const belongsTo = (row: object, parameter: string, id: string): Array<[string, string]> =>
	[platform.names.ofId(parameter), parameter].some((name) => name in row)
		? []
		: [[platform.names.ofId(parameter), id]];

/** The items that a list must give for a form. */
async function wantedRows(
	{ sandbox, entry, scene }: Scenery,
	{ form, request }: Item,
): Promise<unknown[]> {
	const { operation } = entry;
	const shape = shapeOf(operation);
	const { row: convert, wanted } = operation.reading?.((name) => form[name]) ?? {};
	const own = (await allRows(sandbox, request!, operation))
		.map((row) => (convert && isRecord(row) ? convert(row as IDataObject, {}) : row))
		.filter((row) => !wanted || (isRecord(row) && wanted.matches(row as IDataObject)));
	const skip = Number(scene['options.skip'] || 0);
	const limit = scene.returnAll === 'true' || !scene.limit ? Infinity : Number(scene.limit);
	const rows = own.slice(skip, skip + limit);
	const simple =
		operation.simplify && scene.simplify === 'true' ? operation.simplify(rows, request!) : rows;
	const output = scene['options.outputFields'] ? OutputFields.from('id') : undefined;
	// An agent knows the IDs that it gave, and raw rows are as the API has them.
	const hasIds = scene['@tool'] !== 'true' && scene.simplify !== 'false';
	const ids = Object.entries(hasIds ? request!.ids : {});
	const whole = simple.map((row) =>
		isRecord(row)
			? { ...row, ...Object.fromEntries(ids.flatMap(([name, id]) => belongsTo(row, name, id))) }
			: row,
	);
	const cut = (output ? whole.map(output.cut) : whole) as unknown[];
	return shape.kind === 'strings' ? cut.map((row) => ({ [shape.as]: row })) : cut;
}

/** Fields of a list's rows that its filters look at. */
const filteredField = ({ reading }: Operation, filter: string) =>
	reading?.((name) => (name === 'filters' ? { [filter]: 'x' } : undefined))?.needs?.[0]?.field;

/** One value for all items, or an expression that has one for each. */
function joined(values: unknown[]): unknown {
	const [first] = values;
	if (values.every((each) => JSON.stringify(each) === JSON.stringify(first))) return first;
	if (values.every(isRecord)) {
		const names = Object.keys(Object.assign({}, ...values) as Form);
		return Object.fromEntries(
			names.map((name) => [name, joined(values.map((each) => each[name]))]),
		);
	}
	const texts = JSON.stringify(values).replaceAll('}}', '} }').replaceAll('{{', '{ {');
	return `={{ ${texts}[$itemIndex] }}`;
}

/** The file of each item. */
const TEXT = '# Plans';
const FILES = { data: { data: Buffer.from(TEXT).toString('base64'), mimeType: 'text/plain' } };

/** Of a workflow, whose dates have no zone of their own. */
const TIMEZONE = 'Europe/Berlin';

/** What came of a run: the JSON of its output by item, and what was said. */
interface Outcome {
	outputs: Array<{ item: number; json: IDataObject; isError: boolean }>;
	error?: Error;
	hints: string[];
	/** Pairings that name no item. */
	unpaired: number;
}

/** The items of an output, with the item that each belongs to. */
function pairedIn(items: INodeExecutionData[], isError: boolean) {
	return items.map(({ json, pairedItem }) => {
		const { item } = Object([pairedItem].flat()[0]) as { item?: number };
		return { item: item ?? -1, json, isError: isError || json.error !== undefined };
	});
}

export class Scenery {
	items: Item[] = [];

	outcome!: Outcome;

	/** Requests of the scene. */
	requests: readonly LoggedRequest[] = [];

	/** Items that the service has refused. */
	refused = 0;

	private readonly serial = ++scenes;

	constructor(
		readonly sandbox: Sandbox,
		readonly entry: TableEntry,
		readonly features: Feature[],
		readonly scene: Scene,
		/** Of the node. */
		readonly version: number,
	) {}

	/** Fills the forms in. */
	private async prepare(): Promise<void> {
		const { sandbox, entry, features, scene } = this;
		const count = entry.operation.endpoint.method === 'DELETE' || this.isSubNode ? 1 : ITEMS;
		const columns = features
			.map(({ name, field }) => (scene[name] === 'autoMapInputData' ? field : undefined))
			.find((field) => field !== undefined);
		const isMore = [scene.extraColumns, scene['options.extraColumns']].includes('ignore');
		const extra = isMore ? { unknownColumn: 'x' } : {};
		for (let index = 0; index < count; index++) {
			const own = { index, serial: this.serial };
			const ownForm = await formOf(this, own);
			// A payout of all items has one form.
			const form = this.paysTogether ? { ...ownForm, ...this.items[0]?.form } : ownForm;
			const { id } = sandbox.state.customers.customers.rows[index];
			const [fee] = [ownForm.transactions].flat();
			const gathered = { id: this.paysTogether ? String(fee) : id };
			const row = columns ? { ...columnsOf(columns, own), ...extra } : gathered;
			const item: Item = { form, json: row };
			this.items.push(item);
			try {
				item.request = requestOf(entry, form, row, this.version);
				if (scene.contentFrom === 'file') Object.assign(item.request.body!, { content: TEXT });
			} catch (error) {
				item.refusal = (error as Error).message;
			}
		}
	}

	/** A model clears a value with null: empty means unchanged there. n8n keeps no null that isn't of an expression. */
	private asModel(form: Form): Form {
		const cleared = this.features.filter(
			(each) => this.scene[each.name] === 'empty' && !isOutOfReach(each, this.scene),
		);
		return cleared.reduce((all, { name }) => put(all, name.split('.'), '={{ null }}'), form);
	}

	/** One request is sent for all items. */
	get isGathered(): boolean {
		return this.scene.customersAs === 'items' || this.paysTogether;
	}

	/** A payout has the fees of all items. */
	private get paysTogether(): boolean {
		return ['items', 'partners'].includes(this.scene.feesAs ?? '');
	}

	/** A root node calls it, so there are no items. */
	get isSubNode(): boolean {
		return this.features.some(({ name }) => name === 'sub-nodes');
	}

	get isTool(): boolean {
		return this.scene['@tool'] === 'true';
	}

	get goesOn(): boolean {
		return (this.scene.onError ?? 'stopWorkflow') !== 'stopWorkflow';
	}

	get isDry(): boolean {
		return (this.scene.dryRun ?? 'off') !== 'off';
	}

	/** A level that the nodes must refuse. */
	get isRefused(): boolean {
		const { measure, recordKey } = this.entry.operation;
		const records = new Set(this.items.map(({ request }) => request && recordKey?.(request)));
		// Items of one record are one change.
		const isOneChange = measure?.noun === 'changes' && (this.isTool || records.size === 1);
		// As a tool, an item is a run of its own, and has no file.
		const isOne = (name: string) =>
			(this.isTool && name.endsWith('.maxItems')) ||
			(name.endsWith('.maxTotal') && (isOneChange || (this.isTool && measure?.of.length === 0)));
		// So is a payout of all items.
		const isOnce = (name: string) =>
			isOne(name) || (this.paysTogether && name.endsWith('.maxItems'));
		return (
			(this.isTool && this.scene.contentFrom === 'file') ||
			Object.entries(this.scene).some(([name, level]) => level.startsWith(REFUSED) && !isOnce(name))
		);
	}

	async play(): Promise<void> {
		await this.prepare();
		const { sandbox, entry, scene, items } = this;
		const { resource, operation } = entry;
		sandbox.clearRequests();
		const { method, path } = partsOf(operation.endpoint.route);
		if (scene.service === 'throttles') {
			sandbox.faults.add({
				kind: 'status',
				status: 429,
				times: 1,
				body: { error: 'Too many requests' },
				retryAfter: 0,
			});
		}
		const refused = ['first', 'second'].indexOf(scene['refuses one']);
		const refusing =
			refused < 0
				? undefined
				: sandbox.faults.add({
						kind: 'status',
						status: 400,
						nth: refused + 1,
						body: { error: 'Not now' },
						method,
						path,
					});
		const credential = {
			...credentialOf(sandbox),
			dryRun: (scene.dryRun ?? 'off').replace(HELD, ''),
		};
		if (this.isSubNode) {
			const [{ form }] = items;
			const user = '={{ $json.n }}';
			const differs =
				this.version > 1
					? { access: 'principals', accessPrincipals: user }
					: { options: { ...recordOf(form.options), principals: user } };
			const { error } = await useSubNode<{ invoke: (query: string) => Promise<unknown[]> }>({
				node: entry.node,
				type: NodeConnectionTypes.AiRetriever,
				typeVersion: this.version,
				parameters: { ...form, ...(scene.items !== 'same' && differs) } as never,
				items: [{ n: 'user:a' }, { n: 'user:b' }],
				beside: scene['sub-nodes'] === 'two' ? (form as never) : undefined,
				credential,
				use: async ({ invoke }) => void (await invoke('How do I reset my password?')),
			});
			this.outcome = { outputs: [], error, hints: [], unpaired: 0 };
		} else if (this.isTool) {
			const outputs: Outcome['outputs'] = [];
			for (const [item, { form, json }] of items.entries()) {
				const parameters = {
					resource: resource.value,
					operation: operation.value,
					...this.asModel(form),
				};
				const settings = { typeVersion: this.version };
				const tool = { node: entry.node, parameters: parameters as never, settings };
				const steps = [[{ node: 'Tool 1', input: {} }]];
				const [[result]] = await runTools([tool], credential, steps, {
					items: [json],
					timezone: TIMEZONE,
				});
				const rows = typeof result === 'string' ? [{ error: result }] : result;
				outputs.push(...rows.map((row) => ({ item, json: row, isError: row.error !== undefined })));
			}
			this.outcome = { outputs, hints: [], unpaired: 0 };
		} else {
			const { onError, retryOnFail } = scene as { onError: 'stopWorkflow'; retryOnFail?: string };
			const result = await run(
				sandbox,
				entry.node,
				`${resource.value}.${operation.value}`,
				joined(items.map(({ form }) => form)) as never,
				{
					items: items.map(({ json }) => json),
					credential,
					files: FILES,
					timezone: TIMEZONE,
					settings: {
						typeVersion: this.version,
						onError,
						...(retryOnFail === 'true' && { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }),
					},
				},
			);
			const outputs = [...pairedIn(result.items, false), ...pairedIn(result.errors, true)];
			const unpaired = outputs.filter(({ item }) => item < 0 || item >= items.length).length;
			this.outcome = { outputs, error: result.error, hints: result.hints, unpaired };
		}
		this.refused = refusing?.hits ?? 0;
		this.requests = [...sandbox.requests];
		sandbox.faults.clear();
	}
}

/** Texts that no user may ever see. */
const UNNAMED = /undefined|\[object Object\]|NaN|Cannot read|is not a function|is not iterable/;

const json = (value: unknown) => JSON.stringify(value);

/** A request as the sandbox got it, whatever the order of its names. */
const requestKey = (path: string, body: unknown) => `${path} ${json(body ?? {})}`;

/** By what a record is looked up, an update doesn't send. */
const KEYS = ['externalId', 'external_id', 'email'];

/** How a write changes its record: lists as chosen, if the form has the choice, and objects with or without the rest. */
interface Change {
	change: string | undefined;
	isAlone: boolean;
}

/** Whether a body has what the form has, and of its record what it may have. */
function carries(sent: unknown, form: unknown, how: Change): boolean {
	const { change, isAlone } = how;
	if (isRecord(form)) {
		const known = recordOf(sent);
		const rest = Object.keys(known).filter((name) => !(name in form) && !KEYS.includes(name));
		if (isAlone && rest.length > 0) return false;
		return Object.entries(form).every(
			([name, value]) =>
				(KEYS.includes(name) && known[name] === undefined) || carries(known[name], value, how),
		);
	}
	if (!Array.isArray(form) || !change) return Array.isArray(form) || json(sent) === json(form);
	const known = ((sent ?? []) as unknown[]).map(json);
	const has = form.map((each) => known.includes(json(each)));
	if (change === 'remove') return !has.includes(true);
	return !has.includes(false) && (change !== 'replace' || known.length === form.length);
}

/** What must hold in every scene. Each returns what does not. */
type Problems = Array<string | false | undefined>;

const invariants: Array<(scenery: Scenery) => Problems | Promise<Problems>> = [
	function errorsAreNamed({ outcome, sandbox }) {
		const { error, outputs, hints } = outcome;
		const texts = [
			...(error
				? [`${error.message} ${String((error as { description?: string }).description ?? '')}`]
				: []),
			...outputs.flatMap(({ json: { error: text } }) => (typeof text === 'string' ? [text] : [])),
		];
		const shown = json([outputs, hints, texts]);
		return [
			...texts.map(
				(text) => (UNNAMED.test(text) || text.trim() === '') && `an unnamed error: ${text}`,
			),
			error &&
				!/^Node(Api|Operation)Error$/.test(error.name) &&
				`an error of the name ${error.name}`,
			shown.includes(sandbox.key) && 'the key is shown',
		];
	},

	function eachItemComesOutOnce({
		outcome,
		items,
		entry,
		goesOn,
		isTool,
		isRefused,
		isSubNode,
		isGathered,
	}) {
		const { outputs, error, unpaired } = outcome;
		const order = (isError: boolean) => outputs.filter((each) => each.isError === isError);
		const isSorted = [false, true].every((isError) =>
			order(isError).every(({ item }, index, all) => index === 0 || all[index - 1].item <= item),
		);
		const { kind } = shapeOf(entry.operation);
		if (isSubNode) return [isRefused && error === undefined && 'nothing was refused'];
		const missing = [...items.keys()].filter((index) =>
			outputs.every(({ item }) => item !== index),
		);
		const isOver = error !== undefined;
		return [
			unpaired > 0 && `${unpaired} outputs belong to no item`,
			!isSorted && 'the output is not in the order of the input',
			isOver && outputs.length > 0 && 'an error and an output',
			isOver && (goesOn || isTool) && `the run stopped: ${error.message}`,
			!isOver &&
				!isGathered &&
				kind === 'one' &&
				missing.length > 0 &&
				`nothing comes of the items ${missing.join()}`,
			isRefused && !isOver && outputs.some(({ isError }) => !isError) && 'nothing was refused',
		];
	},

	function formsAreTaken({ items, isRefused }) {
		return isRefused ? [] : items.map(({ refusal }) => refusal);
	},

	function nothingFailsWithoutReason({ outcome, isRefused, refused, scene, isDry, entry }) {
		// A dry run checks nobody.
		if (isRefused || (isDry && entry.operation.endpoint.checksPerson)) return [];
		const failed = new Set(
			outcome.outputs.filter(({ isError }) => isError).map(({ item }) => item),
		);
		const isThrottled = scene.service === 'throttles' && scene['requests.retryTime'] === '0';
		// A document of a URL, in the sandbox.
		const isNeverReady = scene.failIfNotReady === 'true';
		// Without a retry, the pause of a 429 is too long for all.
		const allowed = isThrottled || isNeverReady ? Infinity : 0;
		const first = outcome.outputs.find(({ isError }) => isError)?.json.error;
		return [
			!isThrottled && !isNeverReady && outcome.error && `an error: ${outcome.error.message}`,
			refused === 0 &&
				failed.size > allowed &&
				`items ${[...failed].join()} fail: ${String(first)}`,
			scene['requests.maxParallel'] === '1' &&
				failed.size > refused + allowed &&
				`${failed.size} items fail, of which the service has refused ${refused}: ${String(first)}`,
		];
	},

	async function rowsAreThoseOfTheList(scenery) {
		const { entry, outcome, items, scene, isTool } = scenery;
		const { operation } = entry;
		const { kind } = shapeOf(operation);
		const isPlain = operation.run === undefined && !operation.alternative;
		if ((kind !== 'list' && kind !== 'strings') || !isPlain || outcome.error) return [];
		if (!onlyReads(operation.endpoint.route) || operation.endpoint.method !== 'GET') return [];
		if (scene['options.includeEnvelope'] === 'true') return [];
		const problems: string[] = [];
		for (const [index, item] of items.entries()) {
			const own = outcome.outputs.filter((each) => each.item === index);
			if (!item.request || own.some(({ isError }) => isError)) continue;
			const wanted = (await wantedRows(scenery, item)).map(json);
			const got = own
				.filter(({ json: row }) => !(isTool && Object.keys(row).join() === 'note'))
				.map(({ json: row }) => json(row));
			// How such a list goes on is only known of the first page.
			const shape = shapeOf(operation);
			const isOpen =
				shape.kind === 'list' && shape.paging !== 'paged' && got.length > wanted.length;
			const isSame =
				(isOpen || wanted.length === got.length) && wanted.every((row, at) => row === got[at]);
			if (!isSame) {
				const first = wanted.findIndex((row, at) => row !== got[at]);
				problems.push(
					`${got.length} rows, not ${wanted.length}: ${got[first]} in place of ${wanted[first]}`,
				);
			}
		}
		return problems;
	},

	function writesAreThoseOfTheItemsOnce({
		entry,
		items,
		requests,
		outcome,
		isDry,
		isRefused,
		isGathered,
	}) {
		const { operation } = entry;
		if (onlyReads(operation.endpoint.route)) {
			const writes = requests.filter(({ method }) => method !== 'GET' && method !== 'POST');
			return [writes.length > 0 && 'a read has written'];
		}
		const { method } = partsOf(operation.endpoint.route);
		const taken = requests.filter(
			({ method: own, status }) => own !== 'GET' && status !== null && status < 400,
		);
		if (isDry || isRefused) {
			const sent = requests.filter(({ method: own }) => own !== 'GET');
			const isComputing =
				operation.endpoint.computes || operation.endpoint.tests || operation.endpoint.checksPerson;
			return [sent.length > 0 && !(isDry && isComputing) && `${sent.length} writes were sent`];
		}
		const failed = new Set(
			outcome.outputs.filter(({ isError }) => isError).map(({ item }) => item),
		);
		const skipped = new Set(
			outcome.outputs.filter(({ json: { skipped: is } }) => is === true).map(({ item }) => item),
		);
		if (operation.run || isGathered) return [];
		const wanted = items.flatMap(({ request }, index) =>
			!request || failed.has(index) || skipped.has(index) || outcome.error
				? []
				: [requestKey(request.path, request.body)],
		);
		const own = taken.filter((each) => each.method === method);
		const got = own.map(({ path, body }) => requestKey(path, body));
		const missing = wanted.filter((each) => !got.includes(each));
		return [
			missing.length > 0 &&
				outcome.outputs.length > 0 &&
				`not sent: ${missing[0]}; sent: ${got.join(' | ')}`,
			got.length > items.length && `${got.length} writes for ${items.length} items`,
			!outcome.error &&
				got.length > wanted.length &&
				`sent, though it was not to be: ${got.find((each) => !wanted.includes(each))}`,
		];
	},

	function stepsSendWhatTheFormHas({ entry, items, requests, outcome, isDry, isRefused, scene }) {
		const { operation } = entry;
		if (!operation.run || onlyReads(operation.endpoint.route) || isDry || isRefused) return [];
		const writes = requests.filter(
			({ method, status }) => method !== 'GET' && status !== null && status < 400,
		);
		const chosen = (pattern: RegExp) =>
			Object.entries(scene).find(([name]) => pattern.test(name))?.[1];
		const how = { change: chosen(/\.change\w+$/), isAlone: chosen(/\.keep[A-Z]\w+$/) === 'false' };
		const bodies = items.map(({ request }) => json(request?.body));
		const nameOf = ({ request }: Item) => request?.body?.name;
		const own = items.filter(
			(each, index) =>
				// A later item with the name replaces the document, and sends its source alone.
				!(
					operation.remembers && items.findIndex((other) => nameOf(other) === nameOf(each)) < index
				) &&
				outcome.outputs.some(
					({ item, isError, json: { skipped, action } }) =>
						item === index && !isError && skipped !== true && action !== 'unchanged',
				) &&
				// Output Fields hide that the record is as an earlier item has left it.
				!(
					scene['options.outputFields'] &&
					operation.compares &&
					bodies.indexOf(bodies[index]) < index
				),
		);
		const left = [...writes];
		const lost = own.filter(({ request }) => {
			const index = left.findIndex(({ body }) => carries(body, request?.body, how));
			return left.splice(index, index < 0 ? 0 : 1).length === 0;
		});
		const mixed = writes.find(({ body }) => new Set(json(body)?.match(/item-\d/g)).size > 1);
		return [
			lost.length > 0 &&
				`not sent: ${json(lost[0].request?.body)}; sent: ${json(writes.map(({ body }) => body))}`,
			mixed && `sent with values of two items: ${json(mixed.body)}`,
		];
	},

	function idsComeOut({ entry, requests, outcome, scene }) {
		if (onlyReads(entry.operation.endpoint.route) || outcome.error) return [];
		if (scene['options.outputFields']) return [];
		const shown = json(outcome.outputs);
		const ids = requests
			.filter(({ method, status }) => method !== 'GET' && status !== null && status < 400)
			.map(({ plain }) => recordOf(plain).id)
			.filter((id) => typeof id === 'string');
		const lost = ids.find((id) => !shown.includes(json(id)));
		return [lost !== undefined && `the ID ${lost} doesn't come out`];
	},

	function rightsAreThoseOfTheItem({ features, scene, items, requests, entry }) {
		return features
			.filter(({ field, name }) => field?.send && field.send.emptyList && scene[name])
			.flatMap(({ field }) => {
				const name = (field?.send && field.send.as) || field!.name;
				const place = entry.operation.root ? `${entry.operation.root}.${name}` : name;
				const own = items.map(({ request }) => json(at(request?.body, place)));
				const sent = requests
					.filter(({ method }) => method === 'POST')
					.map(({ body }) => json(at(body, place)));
				return sent
					.filter((each) => !own.includes(each))
					.map((each) => `sent with the rights ${each}`);
			});
	},

	function whatWasHeldBackIsSaid({ outcome, isDry, entry, isTool }) {
		const { operation } = entry;
		const { outputs, hints } = outcome;
		const isWrite =
			!onlyReads(operation.endpoint.route) &&
			!operation.endpoint.computes &&
			!operation.endpoint.tests &&
			!operation.endpoint.checksPerson;
		// Nothing is held back of a record that has all values.
		const done = outputs.filter(
			({ isError, json: { skipped, action } }) =>
				!isError && skipped !== true && action !== 'unchanged',
		);
		if (!isDry || !isWrite || done.length === 0) return [];
		const untold = done.filter(({ json: { dryRun } }) => dryRun === undefined);
		return [
			untold.length > 0 && `a dry run without a word: ${json(untold[0].json)}`,
			!isTool && !hints.join().includes('Dry run') && 'no hint tells of the dry run',
		];
	},

	function keysAreSentOnce({ outcome, scene, items, isDry }) {
		if (scene.idempotencyKey !== 'shared' || outcome.error || items.length < ITEMS) return [];
		const isDone = (index: number) =>
			outcome.outputs.some(
				({ item, isError, json: { skipped } }) => item === index && !isError && skipped !== true,
			);
		return [!isDry && isDone(0) && isDone(2) && 'one key was sent twice'];
	},
];

/** What does not hold in a scene. */
export async function problemsIn(scenery: Scenery): Promise<string[]> {
	try {
		await scenery.play();
	} catch (error) {
		return [`it can't be played: ${(error as Error).message}`];
	}
	const found: Array<string | false | undefined> = [];
	for (const each of invariants) {
		found.push(...(await each(scenery)).map((text) => text && `${each.name}: ${text}`));
	}
	const own = scenery.sandbox.problems.splice(0).map((text) => `contract: ${text}`);
	return [...found, ...own].filter((each): each is string => typeof each === 'string');
}
