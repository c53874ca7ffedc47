// What is to end with an execution: one listener for all of it.
import { getEventListeners } from 'node:events';
import { whenAborted } from '../../dist/nodes/shared/client/http/cancelling.js';

test('all that is still waiting ends, by one listener', () => {
	const cancelling = new AbortController();
	const ended: string[] = [];
	const ends = ['first', 'second', 'third'].map((name) => {
		const end = () => ended.push(name);
		whenAborted(cancelling.signal).add(end);
		return end;
	});
	whenAborted(cancelling.signal).delete(ends[1]);
	expect(getEventListeners(cancelling.signal, 'abort')).toHaveLength(1);
	cancelling.abort();
	expect(ended).toEqual(['first', 'third']);
});

test('executions end on their own', () => {
	const [one, other] = [new AbortController(), new AbortController()];
	const ended: string[] = [];
	whenAborted(one.signal).add(() => ended.push('one'));
	whenAborted(other.signal).add(() => ended.push('other'));
	other.abort();
	expect(ended).toEqual(['other']);
});
