// A scene: an operation with one level of each of its features, run for several items against the sandbox, and what must hold
// whatever has met whatever.
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { OutputFields } from '../../dist/nodes/engine/form/options.js';
import type { ApiRequest } from '../../nodes/engine/base/apiRequest.ts';
import type { Field, Send } from '../../nodes/engine/form/fields.ts';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import { credentialOf, run } from '../execution/host/run.cts';
import { runTools } from '../execution/host/tool.cts';
import type { LoggedRequest, Sandbox } from '../sandbox/index.cts';
import { existingForm, valueOf } from '../table/existing.cts';
import { located, type Form } from '../table/forms.cts';
import { onlyReads, partsOf, shapeOf, type TableEntry } from '../table/operations.cts';
import { requestOf } from '../table/requests.cts';
import { REFUSED, type Feature, type Scene } from './pairs.cts';

const isRecord = (value: unknown): value is Form =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const recordOf = (value: unknown): Form => (isRecord(value) ? value : {});

const at = (value: unknown, place: string): unknown =>
	place.split('.').filter(Boolean).reduce<unknown>((outer, name) => recordOf(outer)[name], value);

/** Sets a value at a dotted place. */
function put(form: Form, [name, ...rest]: string[], value: unknown): Form {
	return { ...form, [name]: rest.length > 0 ? put(recordOf(form[name]), rest, value) : value };
}

/** Input items of a scene. The third one has the Idempotency Key of the first, where they share keys. */
const ITEMS = 3;

let serial = 0;

/** One input item: its form, its data, and what the form asks for. */
interface Item {
	form: Form;
	json: IDataObject;
	/** Undefined for a form that the nodes refuse. */
	request?: ApiRequest;
}

/** A value of an item's own, in the format of the field. */
function personal(field: Field, index: number): unknown {
	const { format, maxLength }: Send = field.send || {};
	const value = valueOf(field);
	if (format === 'email') return `item-${index}.${serial}@example.com`;
	if (field.name === 'customerField') return 'id';
	const isFree = typeof value === 'string' && value.startsWith('sample ');
	return isFree ? `item-${index} ${serial} ${field.name}`.slice(0, maxLength) : value;
}

/** Values of the fields that columns fill. */
const columnsOf = ({ send }: Field, index: number): IDataObject =>
	Object.fromEntries(
		((send && send.columns) || []).map((field) => [field.name, personal(field, index)]),
	) as IDataObject;

/** What the form has at a level of a feature. */
function valueAt({ field, name }: Feature, level: string, index: number): unknown {
	if (!field) return level;
	const { as, limitsAccess }: Send = field.send || {};
	const text = level.replace(REFUSED, '');
	if (name === 'idempotencyKey') {
		return `key-${serial}-${level === 'shared' ? index % (ITEMS - 1) : index}`;
	}
	if (limitsAccess) return level === 'nobody' ? '[]' : JSON.stringify([`group:item-${index}`]);
	if (level === 'empty') return '';
	switch (field.type) {
		case 'boolean':
			return text === 'true';
		case 'number':
			return Number(text);
		case 'json':
			return as === '*' ? JSON.stringify({ remark: `item-${index}` }) : personal(field, index);
		case 'resourceMapper': {
			const value = text === 'defineBelow' ? columnsOf(field, index) : null;
			return { mappingMode: text, value };
		}
		case 'resourceLocator':
			return level === 'given' ? personal(field, index) : located(field, level);
		default:
			break;
	}
	if (name === 'options.outputFields') return 'id';
	return level === 'given' ? personal(field, index) : level;
}

/** Ids of the seeds for items that each have a record of their own, by the form's field. */
function ownIds({ state }: Sandbox, form: Form, index: number): Form {
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });
	const rows: Record<string, ReadonlyArray<{ id: string }>> = {
		customerId: state.customers.customers.rows,
		partnerId: state.partners.partners.rows,
		contentId: state.contentBox.contents.rows,
		workflowId: state.workflows.workflows.rows,
	};
	const names = Object.keys(form).filter((name) => name.endsWith('Id'));
	if (form.subscriptionId) {
		const { id, customerId } = state.subscriptions.subscriptions.rows[index];
		return { ...form, customerId: byId(customerId), subscriptionId: byId(id) };
	}
	if (names.length !== 1 || form.transactions || !rows[names[0]]?.[index]) return form;
	const isSeed = rows[names[0]].some(({ id }) => id === recordOf(form[names[0]]).value);
	return isSeed ? { ...form, [names[0]]: byId(rows[names[0]][index].id) } : form;
}

/** A document of a URL is never indexed in the sandbox. */
const WAIT: Form = { waitInterval: 1, waitTimeout: 1 };

/** The form of an item. */
function formOf(entry: TableEntry, features: Feature[], scene: Scene, sandbox: Sandbox, index: number) {
	let form = ownIds(sandbox, existingForm(sandbox, entry), index);
	for (const { name } of entry.operation.fields ?? []) if (name in WAIT) form = { ...form, ...WAIT };
	const isOnList = shapeOf(entry.operation).kind === 'list';
	for (const feature of features) {
		const level = scene[feature.name];
		const { field, name } = feature;
		if (level === undefined || level === '' || !field) continue;
		const place = name.split('.');
		if (place.at(-1) === '*' && field.type === 'collection') {
			for (const each of field.options) {
				const key = [...place.slice(0, -1), each.name];
				const isFeature = features.some((other) => other.name === key.join('.'));
				const isGiven = at(form, key.join('.')) !== undefined;
				if (isFeature || isGiven || each.type === 'collection') continue;
				form = put(form, key, personal(each, index));
			}
		} else if (!(isOnList && place[0] === 'filters')) {
			form = put(form, place, valueAt(feature, level, index));
		}
	}
	return form;
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
		return Object.fromEntries(names.map((name) => [name, joined(values.map((each) => each[name]))]));
	}
	const texts = JSON.stringify(values).replaceAll('}}', '} }').replaceAll('{{', '{ {');
	return `={{ ${texts}[$itemIndex] }}`;
}

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

export class Played {
	readonly items: Item[];

	outcome!: Outcome;

	/** Requests of the scene. */
	requests: readonly LoggedRequest[] = [];

	/** Items that the service has refused. */
	refused = 0;

	constructor(
		readonly sandbox: Sandbox,
		readonly entry: TableEntry,
		readonly features: Feature[],
		readonly scene: Scene,
	) {
		serial += 1;
		const { operation } = entry;
		const count = operation.endpoint.method === 'DELETE' ? 1 : ITEMS;
		const mapper = features.find(
			({ name, field }) => field?.type === 'resourceMapper' && field.send && field.send.columns && scene[name],
		);
		this.items = Array.from({ length: count }, (_each, index) => {
			const form = formOf(entry, features, scene, sandbox, index);
			const isMapped = mapper && scene[mapper.name] === 'autoMapInputData';
			const extra = scene.extraColumns === 'ignore' ? { unknownColumn: `item-${index}` } : {};
			const { id } = sandbox.state.customers.customers.rows[index];
			const json = isMapped ? { ...columnsOf(mapper.field!, index), ...extra } : { id };
			return { form, json };
		});
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
		// As a tool, an item is a run of its own.
		return Object.entries(this.scene).some(
			([name, level]) => level.startsWith(REFUSED) && !(this.isTool && name.endsWith('.maxItems')),
		);
	}

	async play(): Promise<void> {
		const { sandbox, entry, scene, items } = this;
		const { resource, operation } = entry;
		for (const item of items) {
			try {
				item.request = requestOf(entry, item.form, item.json);
			} catch {
				// The nodes refuse it, too.
			}
		}
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
		const refusing =
			scene['refuses one'] === 'yes'
				? sandbox.faults.add({
						kind: 'status',
						status: 400,
						times: 1,
						body: { error: 'Not now' },
						method,
						path,
					})
				: undefined;
		const credential = { ...credentialOf(sandbox), dryRun: scene.dryRun ?? 'off' };
		if (this.isTool) {
			const outputs: Outcome['outputs'] = [];
			for (const [item, { form, json }] of items.entries()) {
				const parameters = { resource: resource.value, operation: operation.value, ...form };
				const tool = { node: entry.node, parameters: parameters as never };
				const steps = [[{ node: 'Tool 1', input: {} }]];
				const [[result]] = await runTools([tool], credential, steps, { items: [json] });
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
					settings: { onError, ...(retryOnFail === 'true' && { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }) },
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

/** What must hold in every scene. Each returns what does not. */
const invariants: Array<(played: Played) => Array<string | false | undefined>> = [
	function errorsAreNamed({ outcome, sandbox }) {
		const { error, outputs, hints } = outcome;
		const texts = [
			...(error ? [`${error.message} ${String((error as { description?: string }).description ?? '')}`] : []),
			...outputs.flatMap(({ json: { error: text } }) => (typeof text === 'string' ? [text] : [])),
		];
		const shown = json([outputs, hints, texts]);
		return [
			...texts.map((text) => (UNNAMED.test(text) || text.trim() === '') && `an unnamed error: ${text}`),
			error && !/^Node(Api|Operation)Error$/.test(error.name) && `an error of the name ${error.name}`,
			shown.includes(sandbox.key) && 'the key is shown',
		];
	},

	function eachItemComesOutOnce({ outcome, items, entry, goesOn, isTool, isRefused, features, scene }) {
		const { outputs, error, unpaired } = outcome;
		const order = (isError: boolean) => outputs.filter((each) => each.isError === isError);
		const isSorted = [false, true].every((isError) =>
			order(isError).every(({ item }, index, all) => index === 0 || all[index - 1].item <= item),
		);
		const gathers = features.some(({ field, name }) => field?.type === 'options' && scene[name] === 'items');
		const { kind } = shapeOf(entry.operation);
		const missing = [...items.keys()].filter((index) => outputs.every(({ item }) => item !== index));
		const isOver = error !== undefined;
		return [
			unpaired > 0 && `${unpaired} outputs belong to no item`,
			!isSorted && 'the output is not in the order of the input',
			isOver && outputs.length > 0 && 'an error and an output',
			isOver && (goesOn || isTool) && `the run stopped: ${error.message}`,
			!isOver && !gathers && kind === 'one' && missing.length > 0 && `nothing comes of the items ${missing.join()}`,
			isRefused && !isOver && outputs.some(({ isError }) => !isError) && 'nothing was refused',
		];
	},

	function nothingFailsWithoutReason({ outcome, isRefused, refused, scene, items }) {
		if (isRefused) return [];
		const failed = new Set(outcome.outputs.filter(({ isError }) => isError).map(({ item }) => item));
		const isThrottled = scene.service === 'throttles' && scene['requests.retryTime'] === '0';
		const isExpected = items.some(({ request }) => request === undefined);
		// Without a retry, the pause of a 429 is too long for all.
		const allowed = isThrottled ? Infinity : 0;
		const first = outcome.outputs.find(({ isError }) => isError)?.json.error;
		return [
			!isExpected && !isThrottled && outcome.error && `an error: ${outcome.error.message}`,
			!isExpected && refused === 0 && failed.size > allowed && `items ${[...failed].join()} fail: ${String(first)}`,
			scene['requests.maxParallel'] === '1' && !isExpected && failed.size > refused + allowed && `${failed.size} items fail, of which the service has refused ${refused}: ${String(first)}`,
		];
	},

	function writesAreThoseOfTheItemsOnce({ entry, items, requests, outcome, isDry, isRefused }) {
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
			const isComputing = operation.endpoint.computes || operation.endpoint.tests || operation.endpoint.checksPerson;
			return [sent.length > 0 && !(isDry && isComputing) && `${sent.length} writes were sent`];
		}
		const failed = new Set(outcome.outputs.filter(({ isError }) => isError).map(({ item }) => item));
		const skipped = new Set(
			outcome.outputs.filter(({ json: { skipped: is } }) => is === true).map(({ item }) => item),
		);
		if (operation.run) return [];
		const wanted = items.flatMap(({ request }, index) =>
			!request || failed.has(index) || skipped.has(index) || outcome.error
				? []
				: [requestKey(request.path, request.body)],
		);
		const own = taken.filter((each) => each.method === method);
		const got = own.map(({ path, body }) => requestKey(path, body));
		const missing = wanted.filter((each) => !got.includes(each));
		return [
			missing.length > 0 && outcome.outputs.length > 0 && `not sent: ${missing[0]}; sent: ${got.join(' | ')}`,
			got.length > items.length && `${got.length} writes for ${items.length} items`,
			!outcome.error && got.length > wanted.length && `sent, though it was not to be: ${got.find((each) => !wanted.includes(each))}`,
		];
	},

	function rightsAreThoseOfTheItem({ features, scene, items, requests, entry }) {
		return features
			.filter(({ field, name }) => field?.send && field.send.limitsAccess && scene[name])
			.flatMap(({ field }) => {
				const name = (field?.send && field.send.as) || field!.name;
				const place = entry.operation.root ? `${entry.operation.root}.${name}` : name;
				const own = items.map(({ request }) => json(at(request?.body, place)));
				const sent = requests.filter(({ method }) => method === 'POST').map(({ body }) => json(at(body, place)));
				return sent.filter((each) => !own.includes(each)).map((each) => `sent with the rights ${each}`);
			});
	},

	function whatWasHeldBackIsSaid({ outcome, isDry, entry, isTool }) {
		const { operation } = entry;
		const { outputs, hints } = outcome;
		const isWrite = !onlyReads(operation.endpoint.route) && !operation.endpoint.computes && !operation.endpoint.tests && !operation.endpoint.checksPerson;
		const done = outputs.filter(({ isError, json: { skipped } }) => !isError && skipped !== true);
		if (!isDry || !isWrite || done.length === 0) return [];
		const untold = done.filter(({ json: { dryRun } }) => dryRun === undefined);
		return [
			untold.length > 0 && `a dry run without a word: ${json(untold[0].json)}`,
			!isTool && !hints.join().includes('Dry run') && 'no hint tells of the dry run',
		];
	},

	function keysAreSentOnce({ outcome, scene, items, isDry }) {
		if (scene.idempotencyKey !== 'shared' || outcome.error || items.length < ITEMS) return [];
		const isDone = (index: number) => outcome.outputs.some(({ item, isError, json: { skipped } }) => item === index && !isError && skipped !== true);
		return [!isDry && isDone(0) && isDone(2) && 'one key was sent twice'];
	},
];

/** What does not hold in a scene. */
export async function problemsIn(played: Played): Promise<string[]> {
	await played.play();
	const found = invariants.flatMap((each) => each(played).map((text) => text && `${each.name}: ${text}`));
	const own = played.sandbox.problems.splice(0).map((text) => `contract: ${text}`);
	return [...found, ...own].filter((each): each is string => typeof each === 'string');
}

export { OutputFields };
