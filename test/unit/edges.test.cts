// Pairs of states and edges of ranges, each as a table of all of them.
import type { Field } from '../../nodes/engine/form/fields.ts';
import { readState, stateOf } from '../../dist/nodes/api/documentState.js';
import { maskedUrls } from '../table/masks.cts';
import { toDate } from '../../dist/nodes/engine/form/dates.js';
import {
	hasEvent,
	hasMark,
	hasOtherMark,
	hidesMark,
	isTruncated,
	markOf,
	mayBe,
	urlFor,
	withSecret,
} from '../../dist/nodes/Trigger/urls.js';

/** Words of each meaning, in other cases, too. None, and null, are no word. */
const words = {
	none: [undefined, null, ''],
	queued: ['queued', 'Queued', ' QUEUED '],
	underWay: ['processing', 'Embedding', 'in progress', 'in_progress', 'IN-PROGRESS'],
	ready: ['ready', 'Indexed', 'succeeded', 'ok'],
	failed: ['failed', 'ERROR', 'rejected', 'cancelled'],
	unknown: ['archived', 'on hold'],
} satisfies Record<string, unknown[]>;

type Meaning = keyof typeof words;

/**
 * By the meaning of the document's status and of the index's: which of the two counts. That of the index, unless the document is
 * queued or has failed.
 */
const counting: Record<Meaning, 'document' | 'index'> = {
	none: 'index',
	queued: 'document',
	underWay: 'index',
	ready: 'index',
	failed: 'document',
	unknown: 'index',
};

const meanings = Object.keys(words) as Meaning[];
const pairs = meanings.flatMap((document) =>
	meanings.map((index) => [document, index, counting[document]] as const),
);

describe.each(pairs)(
	'a document that is %s, with an index that is %s: the %s counts',
	(...pair) => {
		const [document, index, counts] = pair;
		const meaningOf = (meaning: Meaning) =>
			meaning === 'none' || meaning === 'queued' ? 'underWay' : meaning;

		test('whatever the words', () => {
			for (const status of words[document]) {
				for (const indexStatus of words[index]) {
					const said = { status, index_status: indexStatus } as never;
					// Without a word of the index, that of the document stands for it.
					const isOfIndex = counts === 'index' && index !== 'none';
					expect([stateOf(said), readState(said).is]).toEqual([
						(isOfIndex ? indexStatus : status) ?? '',
						meaningOf(isOfIndex ? index : document),
					]);
				}
			}
		});

		test('what is stored is ready, unless it is queued or has failed', () => {
			const is = counts === 'index' && index !== 'none' ? index : document;
			for (const status of words[document]) {
				for (const indexStatus of words[index]) {
					const said = { status, index_status: indexStatus };
					const read = (stored: unknown) =>
						readState({ ...said, indexed_in_vector_store: stored } as never).is;
					const isQueued = is === 'queued';
					expect(read(true)).toBe(is === 'failed' ? 'failed' : isQueued ? 'underWay' : 'ready');
					expect(read('true')).toBe(read(undefined));
					expect(read(false)).toBe(read(undefined));
				}
			}
		});
	},
);

const field = { displayName: 'Date', name: 'date', type: 'dateTime', default: '' } as Field;

const hours = Array.from({ length: 29 }, (_each, index) => index - 14);
const offsets = hours.flatMap((hour) =>
	[0, 30, 45].map((minutes) => {
		const size = String(Math.abs(hour)).padStart(2, '0');
		const sign = hour < 0 ? '-' : '+';
		return [`${sign}${size}:${String(minutes).padStart(2, '0')}`, hour, minutes] as const;
	}),
);

describe.each(offsets)('the offset %s', (offset, hour, minutes) => {
	const milliseconds = (Math.abs(hour) * 60 + minutes) * 60_000 * (hour < 0 ? -1 : 1);
	const moment = Date.UTC(2026, 2, 1, 9, 30) - milliseconds;

	test('of a moment is kept, and of a day its own day', () => {
		for (const written of [offset, offset.replace(':', '')]) {
			const text = `2026-03-01T09:30:00${written}`;
			const sent = toDate(field, text, 'dateTime', 'Europe/Berlin');
			expect(Date.parse(String(sent))).toBe(moment);
			expect(sent).toContain('2026-03-01T09:30:00');
			expect(toDate(field, text, 'date', 'Europe/Berlin')).toBe('2026-03-01');
		}
	});
});

test.each(['+15:00', '-15:00', '+14:60', '+24:00', '+1:00'])('%s is no offset', (offset) => {
	expect(() => toDate(field, `2026-03-01T09:30:00${offset}`, 'dateTime', 'UTC')).toThrow(
		'must be a date',
	);
});

const first = Date.UTC(2000, 0) / 1000;
const after = Date.UTC(2100, 0) / 1000;

test.each([
	[first - 1, undefined],
	[first, '2000-01-01T00:00:00Z'],
	[after - 1, '2099-12-31T23:59:59Z'],
	[after, undefined],
	[first * 1000 - 1, undefined],
	[first * 1000, '2000-01-01T00:00:00Z'],
	[after * 1000 - 1000, '2099-12-31T23:59:59Z'],
	[after * 1000, undefined],
	[0, undefined],
])('Unix time %d: %s', (stamp, sent) => {
	for (const given of [stamp, String(stamp)]) {
		const convert = () => toDate(field, given, 'dateTime', 'UTC');
		if (sent === undefined) expect(convert).toThrow('must be a date');
		else expect(convert()).toBe(sent);
	}
});

const base = 'https://n8n.example.com/webhook/abc/webhook';
const mark = markOf('workflow', 'node');
const other = markOf('workflow', 'another node');
const sent = urlFor(base, 'RecurringPayments.charge.paid', mark);
const secret = 'ab'.repeat(24);
const whole = withSecret(sent, secret);

describe.each(maskedUrls)('a URL whose %s is masked by %s', (part, _mask, masked) => {
	const url = masked(whole);

	test('may be the one that was sent, and is not cut', () => {
		expect(mayBe(url, sent)).toBe(true);
		expect(isTruncated(url, sent)).toBe(false);
		expect(hasOtherMark(url, mark)).toBe(false);
		expect(hasEvent(url, 'recurringpayments.charge.PAID')).toBe(true);
	});

	test('shows its mark, unless that is masked', () => {
		expect(hidesMark(url)).toBe(part === 'mark');
		expect(hasMark(url, mark)).toBe(part !== 'mark');
		expect(hasOtherMark(url, other)).toBe(part !== 'mark');
	});
});

describe('a URL that is cut', () => {
	const marked = whole.indexOf(mark);
	const lengths = Array.from({ length: whole.length + 1 }, (_each, length) => length).filter(
		(length) => length > base.length,
	);

	test.each(lengths)('after %d characters', (length) => {
		const url = whole.slice(0, length);
		expect(mayBe(url, sent)).toBe(true);
		// What is cut is never that of another node. It's told as cut, unless the list may just hide the query or the secret.
		expect(hasOtherMark(url, mark)).toBe(false);
		const isHidden = [`${base}?`, sent, `${sent}&secret`, `${sent}&secret=`, whole].includes(url);
		expect(isTruncated(url, sent)).toBe(!isHidden);
		expect(hasMark(url, mark)).toBe(length >= marked + mark.length);
	});
});
