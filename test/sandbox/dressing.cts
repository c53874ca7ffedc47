/**
 * A world's choices that concern the form of an answer, applied to the finished one: the contract
 * says where something is open, so that no handler has to.
 */
import { isPartialEnvelope, LOOKUPS, type Endpoint, type Schema } from '../contract/contract.cts';
import type { World } from '../contract/worlds.cts';
import { Answer } from './area.cts';

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

const isTime = (value: unknown): value is string =>
	typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value);

/** Endpoints whose answer the reference does not show. */
const openEndpoints = ['createCharge', 'pauseSubscription'];

/** Rows that the reference does not show, by the key that holds them. */
const openRows: Record<string, string> = {
	listSubscriptionUsages: 'elements',
	getNewsletterStats: 'failures',
};

/** Words of a status that stand for others in `statusWords`. */
const otherWords: Record<string, string> = {
	pending: 'open',
	paid: 'succeeded',
	failed: 'declined',
};

const word = (value: unknown, { statusWords }: World): unknown =>
	statusWords === 'pending, paid, failed' ? value : (otherWords[String(value)] ?? value);

/** A value of which the reference shows no type. */
function openValue(value: unknown, world: World): unknown {
	if (typeof value === 'number' && world.openNumbers === 'texts') return String(value);
	if (isTime(value) && world.openTimes === 'Unix seconds') {
		return Math.floor(Date.parse(value) / 1000);
	}
	return value;
}

/** A record of which the reference shows nothing, with all that is in it. */
function openRecord(value: unknown, world: World): unknown {
	if (Array.isArray(value)) return value.map((each) => openRecord(each, world));
	if (!isMembers(value)) return openValue(value, world);
	return withFurther(
		Object.fromEntries(
			Object.entries(value).map(([name, each]) => [name, openRecord(each, world)]),
		),
		world,
	);
}

/** Members that no page of the reference names; `top` ones stand where an error would. */
function withFurther(value: Members, { further }: World, isTop = false): Members {
	if (further === 'none') return value;
	const some = { revision: 3, _links: { self: null }, ...value };
	return further === 'some' || !isTop ? some : { error: null, message: '', ...some };
}

/** A member without a value, as this world writes it. */
function unsetMember(schema: Schema, { unset }: World): unknown {
	if (unset === 'absent') return undefined;
	const isText = [schema.type ?? []].flat().includes('string') && schema.format === undefined;
	return unset === 'empty text' && isText ? '' : null;
}

/** Whether a member may be without a value: optional, and of a type that the reference shows. */
const mayBeUnset = (name: string, schema: Schema, { required = [] }: Schema): boolean =>
	!required.includes(name) && schema.type !== undefined && schema.type !== 'object';

/** A documented value; `isTop` for an answer and for each of its rows. */
function documented(value: unknown, schema: Schema, world: World, isTop: boolean): unknown {
	if (Array.isArray(value)) {
		const { items = {} } = schema;
		return value.map((each) => documented(each, items, world, isTop));
	}
	const isOpen = Object.keys(schema).every((keyword) => keyword === 'description');
	if (!isMembers(value)) return isOpen ? openValue(value, world) : value;
	const { properties, additionalProperties } = schema;
	if (!properties) {
		const inner = typeof additionalProperties === 'object' ? additionalProperties : undefined;
		if (!inner) return value;
		return Object.fromEntries(
			Object.entries(value).map(([name, each]) => [name, documented(each, inner, world, false)]),
		);
	}
	const isList = 'x-items' in schema;
	const members: Members = { ...value };
	for (const [name, each] of Object.entries(properties)) {
		if (members[name] !== undefined && members[name] !== null) {
			members[name] = documented(members[name], each, world, isList);
		} else if (!isList && mayBeUnset(name, each, schema)) {
			members[name] = unsetMember(each, world);
		}
	}
	return withFurther(members, world, isTop);
}

/** The answer of an endpoint whose answer is not shown. */
function openAnswer(answer: Answer, sent: unknown, world: World): Answer {
	const record = openRecord(answer.body, world) as Members;
	const { status } = answer;
	switch (world.openAnswers) {
		case 'record':
			return new Answer(status, { ...record, status: word(record.status, world) });
		case 'id only':
			return new Answer(status, { id: record.id });
		case 'echo of the request':
			return new Answer(status, sent ?? {});
		case 'wrapped':
			return new Answer(status, { data: record });
		case 'empty object':
			return new Answer(status, {});
		case 'no body':
			return new Answer(status, '');
	}
}

/** Rows and maps without entries, wherever the answer has some. */
function emptied(body: Members, schema: Schema, world: World): Members {
	const members = { ...body };
	for (const [name, each] of Object.entries(schema.properties ?? {})) {
		const value = members[name];
		const isMap = typeof each.additionalProperties === 'object';
		if (isMap && isMembers(value) && Object.keys(value).length === 0) {
			members[name] = world.emptyMaps === '[]' ? [] : value;
		}
		if (name !== schema['x-items'] || !Array.isArray(value) || value.length > 0) continue;
		if (world.emptyLists === 'no key') delete members[name];
		else members[name] = { '[]': value, null: null, '{}': {} }[world.emptyLists];
	}
	return members;
}

function statusOf(answer: Answer, { method, responses }: Endpoint, world: World): number {
	const isOpen = '2XX' in responses && answer.status === 200 && method !== 'GET';
	if (!isOpen || world.writeStatus === '200') return answer.status;
	if (world.writeStatus === '202') return 202;
	return method === 'POST' ? 201 : 200;
}

/** Digits of an id as a number, in records that the reference does not show. */
function withNumbers(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withNumbers);
	if (!isMembers(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, each]) =>
			/(^|_)id$/.test(name) && typeof each === 'string' && /^\d{7}$/.test(each)
				? [name, Number(each)]
				: [name, withNumbers(each)],
		),
	);
}

/**
 * An answer of success in the form of a world.
 *
 * @param answer what the handler answered; its ids are as clients see them
 * @param sent the body of the request
 */
export function dressed(answer: Answer, endpoint: Endpoint, world: World, sent: unknown): Answer {
	const { operationId, responses } = endpoint;
	const isJson = answer.contentType.startsWith('application/json');
	if (answer.status > 299 || !isJson) return answer;
	if (openEndpoints.includes(operationId)) {
		const open = openAnswer(answer, sent, world);
		const status = statusOf(answer, endpoint, world);
		const hasNoBody = open.body === '' && '2XX' in responses;
		return new Answer(hasNoBody ? 204 : status, numbered(open.body, world));
	}
	const success = responses['2XX'] ?? responses[String(answer.status)];
	const schema = success?.body?.schema ?? {};
	return new Answer(
		statusOf(answer, endpoint, world),
		bodyOf(answer.body, endpoint, schema, world),
	);
}

const numbered = (body: unknown, { ids }: World) =>
	ids === 'digits, numbers where the record is not shown' ? withNumbers(body) : body;

function bodyOf(answered: unknown, endpoint: Endpoint, schema: Schema, world: World): unknown {
	if (isMembers(answered) && Object.keys(answered).length === 0) return answered;
	const body = documented(answered, schema, world, true);
	if (isMembers(body)) return recordOf(body, endpoint, schema, world);
	const isWrapped = Array.isArray(body) && schema.type === 'array' && world.arrays !== 'bare';
	return isWrapped ? { count: body.length, elements: body } : body;
}

/** A record or the envelope of a list. */
function recordOf(record: Members, endpoint: Endpoint, schema: Schema, world: World): unknown {
	const { operationId, wrapper } = endpoint;
	const key = openRows[operationId];
	const rows = key === undefined ? undefined : record[key];
	const shown = Array.isArray(rows)
		? { ...record, [key]: numbered(openRecord(rows, world), world) }
		: record;
	const words =
		operationId === 'listRecurringSubscriptions' ? inOtherWords(shown, schema, world) : shown;
	const body = withCounts(emptied(words, schema, world), schema, world);
	if (LOOKUPS.includes(operationId) && world.lookups === 'a bare list') return [body];
	return wrapper && world.records === 'below their name' ? { [wrapper]: body } : body;
}

/** The counts of a list of which the reference shows a part of the envelope. */
function withCounts(body: Members, schema: Schema, { countTypes }: World): Members {
	if (countTypes === 'numbers' || !isPartialEnvelope(schema)) return body;
	const counts = ['count', 'per_page'].filter((name) => name in body);
	return { ...body, ...Object.fromEntries(counts.map((name) => [name, String(body[name])])) };
}

function inOtherWords(body: Members, schema: Schema, world: World): Members {
	const place = String(schema['x-items']);
	const rows = body[place] as Members[];
	return {
		...body,
		[place]: rows.map((row) => ({
			...row,
			last_payment_status: word(row.last_payment_status, world),
		})),
	};
}
