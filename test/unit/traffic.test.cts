// Who shares what is known of an API, and for how long it is known.
import { Gate } from '../../dist/nodes/shared/client/traffic/gate.js';
import { gateOf } from '../../dist/nodes/shared/client/traffic/traffic.js';

const minute = 60_000;
const of = (url: string, key: string) => gateOf({ url, secrets: [key] });

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

test('one Base URL and key are one API, others are others', () => {
	const gate = of('https://one.example', 'key');
	expect(of('https://one.example', 'key')).toBe(gate);
	expect(of('https://other.example', 'key')).not.toBe(gate);
	expect(of('https://one.example', 'another key')).not.toBe(gate);
	// Nothing of one is taken for a part of the other.
	expect(of('https://one.examplek', 'ey')).not.toBe(gate);
});

test('what is used is remembered, what is not is forgotten, with no timer', () => {
	const gate = of('https://used.example', 'key');
	for (let each = 0; each < 3; each++) {
		jest.advanceTimersByTime(9 * minute);
		gate.party({ parallel: 1 });
	}
	expect(of('https://used.example', 'key')).toBe(gate);
	expect(jest.getTimerCount()).toBe(0);
	jest.advanceTimersByTime(11 * minute);
	expect(of('https://used.example', 'key')).not.toBe(gate);
});

test('what is in use is not forgotten however long it takes', async () => {
	const gate = of('https://slow.example', 'key');
	let end = () => {};
	const answer = new Promise<void>((resolve) => {
		end = resolve;
	});
	const request = gate.party({ parallel: 1 }).run({ lane: 0 }, async () => {
		await answer;
		return { troubled: false, value: undefined };
	});
	await jest.advanceTimersByTimeAsync(60 * minute);
	expect(of('https://slow.example', 'key')).toBe(gate);
	end();
	await request;
	expect(of('https://slow.example', 'key')).toBe(gate);
});

test('nothing that is kept tells the key', () => {
	const set = jest.spyOn(Map.prototype, 'set');
	const gate = of('https://secret.example', 'a-key-to-hide');
	const kept = set.mock.calls.filter(([, value]) => value === gate).map(([name]) => String(name));
	set.mockRestore();
	expect(gate).toBeInstanceOf(Gate);
	expect(kept).toHaveLength(1);
	expect(kept[0]).not.toContain('a-key-to-hide');
	expect(JSON.stringify(gate)).not.toContain('a-key-to-hide');
});
