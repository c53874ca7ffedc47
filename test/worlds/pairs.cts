// The features of a form that can meet, by its declaration, and scenes in which each two of them do: a covering array, made
// greedily as in AETG (all-pairs testing).
import { operation as tool } from '../../dist/nodes/KnowledgeBaseTool/tool.js';
import { operation as retriever } from '../../dist/nodes/Retriever/search.js';
import { requestSettings } from '../../dist/nodes/engine/form/options.js';
import { besideOption, optionsOf } from '../../dist/nodes/engine/form/inOptions.js';
import { formFields } from '../../dist/nodes/engine/node/description.js';
import { PlatformApi } from '../../dist/credentials/PlatformApi.credentials.js';
import type { Operation } from '../../nodes/engine/form/operation.ts';
import type { Field, Send } from '../../nodes/engine/form/fields.ts';
import { randomFrom, type Random } from '../sandbox/random.cts';
import { isOfVersion } from '../table/forms.cts';
import { onlyReads, type TableEntry } from '../table/operations.cts';

/** A level with this sign makes the nodes refuse the run, so of its scene it proves only its own pairs. */
export const REFUSED = '!';

/** A level with this sign makes the nodes send no write, with the same effect on what its scene proves. */
export const HELD = '~';

/** Values of a feature by the names of other features. All must hold. */
type Condition = Record<string, readonly string[]>;

/** Whatever changes what a node does with the same values: a field of its form, a setting of n8n, the service. */
export interface Feature {
	/** Dotted path of the field in the form, or a name of n8n's or of the service's. */
	name: string;
	/** The first one is that of a form in which nobody has touched it. */
	levels: string[];
	field?: Field;
	/** The operation itself declares it. Others are the same for all operations of a kind. */
	isOwn?: boolean;
	/** The form has it if one of these holds. */
	shown: Condition[];
}

/** One level of each feature that the form has then. */
export type Scene = Record<string, string>;

/** The sub-nodes that search, as entries of the table. A root node calls the first, an agent the second. */
export const subNodes: TableEntry[] = [
	['platformKnowledgeBaseRetriever', 'retriever', retriever] as const,
	['platformKnowledgeBaseTool', 'tool', tool] as const,
].map(([node, value, operation]) => {
	const resource = { name: value, value, description: '', operations: [operation] };
	return {
		node,
		folder: '',
		displayName: node,
		resource,
		operation,
		resources: [resource],
		title: node,
	};
});

const isSubNode = ({ node }: TableEntry) => node === subNodes[0].node;

/** The fields of a form, with those that the engine adds. */
const fieldsOf = ({ resource, operation }: TableEntry): Field[] =>
	subNodes.some((each) => each.resource === resource)
		? (operation.fields ?? [])
		: formFields(operation);

const all = (fields: Field[]): Field[] =>
	fields.flatMap((field) => [field, ...(field.type === 'collection' ? all(field.options) : [])]);

/** Dotted path of a field that a condition names: a field in a collection names one of the form with a slash. */
const placeOf = (name: string): string => name.replace(/^\//, '');

/** Names of the fields by which the form shows others, or picks the endpoint. */
function steeringIn({ alternative }: Operation, fields: Field[]): Set<string> {
	const conditions = all(fields).flatMap(({ displayOptions = {} }) => [
		...Object.keys(displayOptions.show ?? {}),
		...Object.keys(displayOptions.hide ?? {}),
	]);
	return new Set([...conditions.map(placeOf), alternative?.field ?? '']);
}

const given = ['', 'given'];

/** What a person has approved depends on the record: `test/execution/sync.test.cts`. */
const APPROVED = 'approvedChanges';

/** Levels of a number or text that the engine or the node reads itself. */
function numberLevels({ name, typeOptions = {} }: Field): string[] {
	const limits: Record<string, string[]> = {
		limit: ['50', '3'],
		maxItems: ['', '1000', `${REFUSED}1`],
		maxTotal: ['', '1000000', `${REFUSED}1`],
		maxAmount: ['', '1000000', `${REFUSED}0.5`],
		keysToRemember: ['', '100'],
		// A document of a URL is never indexed in the sandbox, so the waiting must be short.
		waitInterval: ['1'],
		waitTimeout: ['1'],
	};
	return limits[name] ?? ['', String(Math.max(2, typeOptions.minValue ?? 0))];
}

/** Levels of a field, if it changes what the node does. Otherwise its value is only passed through. */
function levelsOf(field: Field, isOwn: boolean, steers: boolean, isAdded: boolean): string[] {
	const levels = ownLevels(field, isOwn, steers);
	// A field of a collection isn't there until the user adds it.
	return levels.length > 0 && isAdded ? [...new Set(['', ...levels])] : levels;
}

/** Levels of a list that may name nobody. Where it has to be filled in, it may not. */
const listLevels = ({ required }: Field) =>
	required ? ['own', `${REFUSED}nobody`] : ['', 'own', 'nobody'];

function ownLevels(field: Field, isOwn: boolean, steers: boolean): string[] {
	const send: Send = field.send || {};
	const { type, name } = field;
	if (name === APPROVED) return [];
	const isPassed = isOwn && field.send !== false && !send.setting && !steers;
	if (isPassed && send.emptyList) return listLevels(field);
	// How an empty list is taken depends on how it changes the one of the record.
	if (isPassed && send.empty === 'clears')
		return ['', 'given', ...(send.type === 'list' ? [] : ['empty'])];
	if (isPassed && type === 'json' && send.as === '*') return given;
	if (type === 'resourceMapper' && send.columns) return ['autoMapInputData', 'defineBelow'];
	if (isPassed || field.required) {
		if (!steers) return [];
	}
	return name === 'idempotencyKey' ? ['', 'own', 'shared'] : levelsByType(field);
}

function levelsByType(field: Field): string[] {
	switch (field.type) {
		case 'boolean':
			return [String(field.default), String(!field.default)];
		case 'options': {
			const values = (field.options ?? []).flatMap((each) =>
				'value' in each ? [String(each.value)] : [],
			);
			return [...new Set([String(field.default), ...values])].filter(
				(each) => !field.required || each !== '',
			);
		}
		case 'number':
			return numberLevels(field);
		case 'resourceLocator':
		case 'multiOptions':
		case 'string':
			return given;
		default:
			return [];
	}
}

/** Which levels of its steering fields show a field. */
function conditionOf({ displayOptions = {} }: Field, features: Map<string, Feature>): Condition {
	const condition: Condition = {};
	for (const [key, values] of Object.entries(displayOptions.show ?? {})) {
		const name = placeOf(key);
		if (features.has(name)) condition[name] = (values as unknown[]).map(String);
	}
	for (const [key, values] of Object.entries(displayOptions.hide ?? {})) {
		const name = placeOf(key);
		const hidden = (values as unknown[]).map(String);
		// By an option, a field is hidden while that is there at all.
		const isHidden = (level: string) =>
			name.includes('.') ? level !== '' : hidden.includes(level);
		const levels = condition[name] ?? features.get(name)?.levels ?? [];
		condition[name] = levels.filter((level) => !isHidden(level));
	}
	return condition;
}

/** Levels of the request settings that are no number of seconds. */
const settingLevels: Record<string, string[] | undefined> = {
	maxParallel: ['', '1', '8'],
	maxPerSecond: ['', '1000'],
	retryTime: ['', '0'],
};

/** n8n's settings of a node, its use as a tool, Dry Run of the credential, and what a service may do. */
function around(entry: TableEntry): Feature[] {
	const settings = requestSettings.options.map((field: Field) => ({
		name: `requests.${field.name}`,
		levels: settingLevels[field.name] ?? ['', '50'],
		field,
		shown: [{}],
	}));
	const dryRun = new PlatformApi().properties.find(({ name }) => name === 'dryRun');
	const dryRuns = (dryRun?.options ?? []).flatMap((each) =>
		'value' in each ? [String(each.value)] : [],
	);
	if (isSubNode(entry)) {
		const differing = [
			{ name: 'sub-nodes', levels: ['one', 'two'], shown: [{}] },
			{ name: 'items', levels: ['same', `${REFUSED}differ`], shown: [{}] },
		];
		return [...settings.filter(({ name }) => !name.endsWith('maxParallel')), ...differing];
	}
	const isRead = onlyReads(entry.operation.endpoint.route);
	const heldBack = dryRuns.map((level) => (isRead || level === 'off' ? level : `${HELD}${level}`));
	const byNode = { '@tool': ['false'] };
	const goesOn = { onError: ['continueRegularOutput', 'continueErrorOutput'] };
	return [
		...settings,
		{ name: '@tool', levels: ['false', 'true'], shown: [{}] },
		{
			name: 'onError',
			// A tool has no error output.
			levels: ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'].filter(
				(level) => level !== 'continueErrorOutput' || entry.node !== subNodes[1].node,
			),
			shown: [byNode],
		},
		{ name: 'retryOnFail', levels: ['false', 'true'], shown: [byNode] },
		{ name: 'dryRun', levels: heldBack, shown: [{}] },
		{
			name: 'service',
			levels: ['fine', 'throttles'],
			shown: [{}],
		},
		// Where the run goes on, this proves what becomes of the other items.
		{
			name: 'refuses one',
			levels: ['no', 'first', 'second'],
			isOwn: true,
			shown: [{ ...byNode, ...goesOn }],
		},
	];
}

/** All features of a form in a version of its node, in the order of the form. */
export function featuresOf(entry: TableEntry, version: number): Feature[] {
	const { operation } = entry;
	const { fields: declared = [] } = operation;
	const isNew = version > 1;
	const fields = fieldsOf(entry).filter(
		({ inOptions, chosenBy }) => !isNew || !(inOptions || chosenBy),
	);
	const own = new Set(all(declared));
	const moved = new Set(optionsOf(declared).map(({ name }) => name));
	const isDeclared = (field: Field) => own.has(field) || (isNew && moved.has(field.name));
	/** A field as a node of the version shows it. */
	const asShown = (field: Field): Field => ({
		...field,
		displayOptions: (isNew && besideOption(field, declared)) || field.displayOptions,
	});
	const steering = steeringIn(operation, fields);
	const found = new Map<string, Feature>();
	const conditions: Array<[Feature, Field[]]> = [];
	const walk = (list: Field[], outer: Field[]) => {
		for (const field of list) {
			if (field.type === 'notice' || field.name === 'toolDescription' || field.isNodeSetting)
				continue;
			if (!isOfVersion(field, version)) continue;
			const place = [...outer, asShown(field)];
			if (field.type === 'collection') {
				walk(field.options, place);
				const plain = field.options.filter(
					(each) =>
						isOfVersion(each, version) &&
						each.name !== APPROVED &&
						each.type !== 'collection' &&
						levelsOf(each, isDeclared(each), false, true).length === 0,
				);
				if (plain.length > 0) add(`${nameOf(place)}.*`, ['', 'all'], field, place);
				continue;
			}
			const isTop = outer.length === 0;
			const levels = levelsOf(field, isDeclared(field), isTop && steering.has(field.name), !isTop);
			if (levels.length > 1) add(nameOf(place), levels, field, place);
		}
	};
	const add = (name: string, levels: string[], field: Field, place: Field[]) => {
		const isOwn = field.type === 'collection' || isDeclared(field);
		const feature = found.get(name) ?? { name, levels, field, isOwn, shown: [] };
		found.set(name, feature);
		conditions.push([feature, place]);
	};
	walk(fields, []);
	const features = new Map([...found, ...around(entry).map((each) => [each.name, each] as const)]);
	for (const [feature, place] of conditions) {
		feature.shown.push(
			place.reduce<Condition>((sum, field) => ({ ...sum, ...conditionOf(field, features) }), {}),
		);
	}
	return [...features.values()].filter(({ levels }) => levels.length > 1);
}

const nameOf = (place: Field[]): string => place.map(({ name }) => name).join('.');

const isShown = ({ shown }: Feature, scene: Scene): boolean =>
	shown.some((condition) =>
		Object.entries(condition).every(([name, values]) => values.includes(scene[name] ?? '')),
	);

/** Each set of levels of the features that show others. A feature that isn't shown steers as its default. */
function frames(features: Feature[]): Scene[] {
	const names = new Set(features.flatMap(({ shown }) => shown.flatMap(Object.keys)));
	return features
		.filter(({ name }) => names.has(name))
		.reduce<Scene[]>(
			(scenes, { name, levels }) =>
				scenes.flatMap((scene) => levels.map((level) => ({ ...scene, [name]: level }))),
			[{}],
		);
}

const isRefusing = (level: string) => level.startsWith(REFUSED);

const isMasking = (level: string) => isRefusing(level) || level.startsWith(HELD);

/** Features of a scene beside which nothing else happens. */
const masksIn = (scene: Scene): string[] =>
	Object.keys(scene).filter((name) => isMasking(scene[name]));

const keyOf = (one: string, level: string, other: string, otherLevel: string): string =>
	one < other
		? `${one}=${level} + ${other}=${otherLevel}`
		: `${other}=${otherLevel} + ${one}=${level}`;

/** The pairs that a scene proves. */
export function pairsIn(scene: Scene): string[] {
	const entries = Object.entries(scene);
	const masks = masksIn(scene);
	return entries.flatMap(([one, level], index) =>
		entries
			.slice(index + 1)
			.filter(([other]) => masks.every((name) => name === one || name === other))
			.map(([other, otherLevel]) => keyOf(one, level, other, otherLevel)),
	);
}

/** All pairs of levels of two features that the form can have at once. */
export function pairsOf(features: Feature[]): Set<string> {
	const pairs = new Set<string>();
	for (const frame of frames(features)) {
		const visible = features.filter((each) => isShown(each, frame));
		for (const [index, one] of visible.entries()) {
			for (const other of visible.slice(index + 1)) {
				for (const level of frame[one.name] === undefined ? one.levels : [frame[one.name]]) {
					for (const next of frame[other.name] === undefined ? other.levels : [frame[other.name]]) {
						if (isRefusing(level) && isRefusing(next)) continue;
						pairs.add(keyOf(one.name, level, other.name, next));
					}
				}
			}
		}
	}
	return pairs;
}

/** Candidates for each scene, of which the best is taken. */
const CANDIDATES = 4;

/** One scene with a pair, and with as many other open pairs as a greedy choice of one level after the other finds. */
function candidate(
	features: Feature[],
	all: Scene[],
	seed: string,
	open: Set<string>,
	random: Random,
) {
	const wanted = Object.fromEntries(
		seed.split(' + ').map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]),
	);
	const able = all.filter((frame) =>
		features.every(
			(each) =>
				wanted[each.name] === undefined ||
				(isShown(each, frame) && (frame[each.name] ?? wanted[each.name]) === wanted[each.name]),
		),
	);
	const frame = random.pick(able);
	const visible = features.filter((each) => isShown(each, frame));
	const scene: Scene = {};
	for (const { name } of visible) {
		const level = wanted[name] ?? frame[name];
		if (level !== undefined) scene[name] = level;
	}
	const left = visible.filter(({ name }) => scene[name] === undefined);
	const masks = masksIn(scene);
	while (left.length > 0) {
		const [{ name, levels }] = left.splice(random.int(0, left.length - 1), 1);
		const able = levels.filter((level) => !isMasking(level));
		const gain = (level: string) =>
			Object.entries(scene).filter(
				([other, known]) =>
					masks.every((mask) => mask === other) && open.has(keyOf(name, level, other, known)),
			).length;
		const start = random.int(0, able.length - 1);
		const turned = [...able.slice(start), ...able.slice(0, start)];
		scene[name] = turned.reduce((best, level) => (gain(level) > gain(best) ? level : best));
	}
	return scene;
}

/**
 * Scenes that have all pairs of features of a form, the same for each seed.
 * @param proven pairs that other operations of the kind have: those of two features that no operation declares itself
 */
export function scenesOf(features: Feature[], seed: number, proven?: Set<string>): Scene[] {
	const random = randomFrom(seed);
	const open = pairsOf(features);
	for (const pair of proven ?? []) open.delete(pair);
	const foreign = pairsOf(features.filter(({ isOwn }) => !isOwn));
	const all = frames(features);
	const scenes: Scene[] = [];
	for (const first of open) {
		if (!open.has(first)) continue;
		const drawn = Array.from({ length: CANDIDATES }, () => {
			const scene = candidate(features, all, first, open, random);
			return { scene, pairs: pairsIn(scene).filter((pair) => open.has(pair)) };
		});
		const best = drawn.reduce((one, other) =>
			other.pairs.length > one.pairs.length ? other : one,
		);
		for (const pair of best.pairs) {
			open.delete(pair);
			if (foreign.has(pair)) proven?.add(pair);
		}
		scenes.push(best.scene);
	}
	return scenes;
}
