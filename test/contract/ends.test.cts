// Values that code easily takes for nothing, and the ends of ranges: for each field of each operation, 0, false, the text 0, a
// blank, the least and the most that it declares and one beyond reach the service as they are, or are refused. In forms, in JSON that stands
// for rows and in columns, from a person and from a model.
import { embedding } from '../../dist/nodes/Embeddings/embed.js';
import { operation as asked } from '../../dist/nodes/KnowledgeBaseTool/tool.js';
import { operation as retrieved } from '../../dist/nodes/Retriever/search.js';
import { endpoints, type Schema } from './contract.cts';
import type { Operation, Resource } from '../../nodes/engine/form/operation.ts';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { leavesOf } from '../table/leaves.cts';
import { table, type TableEntry } from '../table/operations.cts';
import {
	formsOf,
	isOtherChoice,
	isShown,
	outcomeOf,
	placesOf,
	type Outcome,
	type Place,
} from '../table/places.cts';
import { expectNone } from '../none.cts';

/** What the contract says of a place. */
function schemaOf({ operation }: TableEntry, { path }: Place): Schema {
	const [method, template] = operation.endpoint.route.split(' ');
	const endpoint = endpoints.find((each) => each.method === method && each.path === template);
	const body = endpoint?.requestBody ? leavesOf(endpoint.requestBody.schema) : [];
	const query = (endpoint?.queryParameters ?? []).map(({ name, schema }) => ({
		path: name,
		schema,
	}));
	return [...body, ...query].find((leaf) => leaf.path === path)?.schema ?? {};
}

interface Case {
	value: unknown;
	/** What reaches the service, unless it's refused. */
	wire: unknown;
	isRefused: boolean;
}

function numbersOf(field: Field, { minimum = -Infinity, maximum = Infinity }: Schema): Case[] {
	const { minValue = -Infinity, maxValue = Infinity } = field.typeOptions ?? {};
	const least = Math.max(minValue, minimum as number);
	const most = Math.min(maxValue, maximum as number);
	const ends = [least, most].filter(Number.isFinite);
	return [0, ...ends, ...ends.map((end) => (end === least ? end - 1 : end + 1))]
		.filter((value, index, all) => all.indexOf(value) === index)
		.map((value) => ({ value, wire: value, isRefused: value < least || value > most }));
}

/** Lines of a charge that cost nothing are refused, unless the form allows them. */
const isFreeLine = ({ path }: Place, value: unknown) =>
	path === 'charge.services[].amount' && value === 0;

function casesOf(field: Field, schema: Schema): Case[] {
	const send = field.send || {};
	// Each of their entries comes from an input item.
	if (send.gathers) return [];
	if (field.type === 'number') return numbersOf(field, schema);
	if (field.type === 'boolean') {
		return [false, true].map((value) => ({ value, wire: value, isRefused: false }));
	}
	if (field.type !== 'fixedCollection' && ['list', 'texts'].includes(send.type ?? '')) {
		return [{ value: ['0'], wire: ['0'], isRefused: false }];
	}
	const isFree = field.type === 'string' && !send.type && !send.format && !send.convert;
	// What is longer is refused (coverage).
	const { maxLength } = schema;
	const longest = typeof maxLength === 'number' ? ['x'.repeat(maxLength)] : [];
	if (!isFree) return [];
	const isFilled = field.required === true || send.empty === 'refused';
	return [
		...['0', 'false', ...longest].map((value) => ({ value, wire: value, isRefused: false })),
		...(isFilled ? [{ value: ' ', wire: undefined, isRefused: true }] : []),
	];
}

/** All values in a request, and names of its records, however deep. */
const valuesIn = (value: unknown): unknown[] =>
	typeof value === 'object' && value !== null
		? Object.entries(value).flatMap(([name, each]) => [name, ...valuesIn(each)])
		: [value];

/** True if a value is at its place, or where an operation puts it: into the path, a setting, or a key of a record. */
function isSent({ request, wire }: Outcome, value: unknown): boolean {
	if (request === undefined) return false;
	const { body, query, settings, ids } = request;
	const sent = valuesIn([body, query, settings, ids]);
	const isOther = typeof wire !== 'object' && wire !== undefined && ![value].flat().includes(wire);
	return !isOther && [value].flat().every((each) => sent.includes(each));
}

/** The operations of sub-nodes, beside those of action nodes. */
const ofSubNodes = (
	[
		['platformEmbeddings', embedding],
		['platformKnowledgeBaseTool', asked],
		['platformKnowledgeBaseRetriever', retrieved],
	] as Array<[string, Operation]>
).map(([node, operation]): TableEntry => {
	const resource = { name: '', value: '', operations: [] } as unknown as Resource;
	return { node, operation, resource, title: node, folder: '', displayName: '', resources: [] };
});

const cases = [...table, ...ofSubNodes]
	.filter((entry) => placesOf(entry).length > 0)
	.map((entry) => [entry.title, entry] as const);

let checked = 0;

test.each(cases)(
	'%s: each value reaches the service, or is refused by its range',
	(_title, entry) => {
		const wrong: string[] = [];
		for (const place of placesOf(entry)) {
			for (const { value, wire, isRefused } of casesOf(place.field, schemaOf(entry, place))) {
				for (const { form, version } of formsOf(entry)) {
					if (!isShown(entry, place, { form, version }) || isOtherChoice(entry, place, form))
						continue;
					for (const isOfModel of [false, true]) {
						const outcome = outcomeOf(entry, place, form, { value, isOfModel, version });
						const isRight =
							isRefused || isFreeLine(place, value)
								? outcome.end === 'refused'
								: isSent(outcome, wire);
						checked++;
						if (isRight) continue;
						const by = isOfModel ? 'model, ' : '';
						wrong.push(
							`${place.road}: ${place.field.displayName} ${place.path}, ${by}${JSON.stringify(value)}: ${outcome.end} ${JSON.stringify(outcome.wire ?? outcome.request?.body)}`,
						);
					}
				}
			}
		}
		expectNone(
			[...new Set(wrong)],
			'The field must take the ends of its range, and refuse what lies beyond.',
		);
	},
);

test('there are values of each kind', () => {
	expect(checked).toBeGreaterThan(2500);
});
