// Values at dotted keys: what a form sets, what data of the user keeps, and which of two values wins.
import { getAt, put, setAt, sortedJson } from '../../dist/nodes/engine/base/data.js';
import { entryOf } from '../table/operations.cts';
import { requestOf } from '../table/requests.cts';

test.each<[string, object, string, unknown, object]>([
	['a new key', {}, 'a', 1, { a: 1 }],
	['a nested key', {}, 'a.b', 1, { a: { b: 1 } }],
	['an object beside what is there', { a: { b: 1 } }, 'a', { c: 2 }, { a: { b: 1, c: 2 } }],
	['an object that has a key already', { a: { b: 1 } }, 'a', { b: 2, c: 3 }, { a: { b: 1, c: 3 } }],
	['a value in place of a value', { a: 1 }, 'a', 2, { a: 2 }],
	['a value in place of a text', { a: 'x' }, 'a.b', 2, { a: { b: 2 } }],
	['further keys', { a: 1 }, '*', { a: 2, b: 3 }, { a: 1, b: 3 }],
	['further keys of an object', { a: { b: 1 } }, '*', { a: { b: 2, c: 3 } }, { a: { b: 1, c: 3 } }],
	['no further keys', { a: 1 }, '*', undefined, { a: 1 }],
])('put: %s', (_what, before, key, value, after) => {
	const target = structuredClone(before) as Record<string, unknown>;
	put(target, key, value);
	expect(target).toEqual(after);
});

test.each(['put', 'setAt'])('%s leaves objects alone that belong to somebody else', (which) => {
	const own = { city: 'Bonn' };
	const target: Record<string, unknown> = { address: own };
	if (which === 'put') put(target, 'address.country', 'DE');
	else setAt(target, 'address.country', 'DE');
	expect(target).toEqual({ address: { city: 'Bonn', country: 'DE' } });
	expect(own).toEqual({ city: 'Bonn' });
});

test.each(['constructor', 'toString', '__proto__', 'a.constructor'])('nothing is at %s', (key) => {
	expect(getAt({ a: {} }, key)).toBeUndefined();
});

test('a field of the form wins over the same one in its JSON', () => {
	const additionalFields = { page: '1', metadata: { page: '2', note: 'n' } };
	const knowledgeBaseId = { __rl: true, mode: 'id', value: 'k' };
	const form = { knowledgeBaseId, name: 'N', content: 'C', additionalFields };
	const { body } = requestOf(entryOf('platformAiGateway', 'document', 'add'), form);
	expect(body?.metadata).toEqual({ page: '1', note: 'n' });
});

test('JSON to compare has its fields in one order, whatever they are called', () => {
	const one = { b: { toString: 'x' }, a: 1, 'a,b': 'c' };
	const other = { 'a,b': 'c', a: 1, b: { toString: 'x' } };
	expect(sortedJson(one)).toBe('{"a":1,"a,b":"c","b":{"toString":"x"}}');
	expect(sortedJson(other)).toBe(sortedJson(one));
});
