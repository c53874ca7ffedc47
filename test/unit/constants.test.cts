// Every number that a module of the nodes has as a constant is tried on both sides by its name, or it's said here why there
// is no side to try.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants } from '../constants.cts';
import { expectNone } from '../none.cts';

/** By the reason why one more or less can't be wrong. */
const others: Record<string, string> = {
	'It sets the pace or the load. Any number near it gives the same results': `
		AiGateway/knowledgeBaseSearch K, AiGateway/knowledgeBaseSearch MOST_PASSAGES, AiGateway/waitUntilIndexed PAUSE, AiGateway/waitUntilIndexed UNKNOWN_STAYS,
		Company/checkAccess PARALLEL, Embeddings/embed PARALLEL, PollingTrigger/reading PARALLEL,
		PollingTrigger/watch UNSCHEDULED, PollingTrigger/watch FIRST_POLL, PollingTrigger/sweep READINGS,
		Trigger/signature LISTED_FOR, Trigger/delivery SAVED_AFTER, engine/base/pool IN_ONE_GO,
		engine/client/credentialTest TIMEOUT, engine/editor/editor EDITOR_PARALLEL,
		engine/editor/pickers MAX_PAGES, engine/editor/pickers ENOUGH, engine/run/idempotency AHEAD,
		engine/run/keyStore ATTEMPTS, engine/run/keyStore PAUSE, engine/run/prepare PARALLEL,
		engine/run/progress EVERY, engine/client/http/retry ATTEMPTS_BESIDE_OTHERS,
		engine/client/http/retry FIRST_WAIT, engine/client/http/retry LONGEST_WAIT,
		engine/client/http/deadlines SHARED_FOR, engine/client/list/listState MAX_EXTRA_PAGES,
		engine/client/traffic/bound START,
		engine/client/traffic/bound MAX_IN_FLIGHT, engine/client/traffic/bound SLACK,
		engine/client/traffic/bound DECREASE, engine/client/traffic/bound GROWTH,
		engine/client/traffic/bound HALF, engine/client/traffic/bound BUSY,
		engine/client/traffic/bound SLOW, engine/client/traffic/limit PACE_MARGIN,
		engine/client/traffic/limit MEMORY, engine/client/traffic/limit REST,
		engine/client/traffic/limit SOON, engine/client/traffic/limit WINDOW_MARGIN,
		engine/client/traffic/limit FIRST_GUESS, engine/run/milestones EARLY, engine/client/traffic/limit PROBED_EVERY, engine/client/traffic/limit LONGEST_GUESS`,
	'It bounds memory. What is beyond is read or sent again, or asked for': `
		engine/client/list/shared MAX_LISTS, engine/base/locks REMEMBERED,
		engine/client/http/dryRecords MAX_VALUE, engine/client/http/dryRecords MAX_RECORDS,
		engine/run/cancelled MAX_TEXTS, engine/run/claim ANEW, engine/run/releaseKey ITEMS, engine/run/ledger KEPT,
		engine/run/ledger GIVEN_OUT, engine/run/milestones RETRIES, engine/run/milestones BEHIND,
		engine/run/prepare KEPT_TEXT, engine/run/keyStore WRITES, engine/run/keyStore RECENT,
		engine/run/keyStore SLICE, engine/run/valueStore WINDOW, engine/run/keyStore REMOVED, engine/client/http/dryRunMode MAX_DEPTH`,
	'It bounds a text, or how much a text names': `
		engine/base/itemName SHORT, engine/form/columns NAMED, engine/node/execute HINTS,
		engine/run/doubt NAMED, engine/run/allItems NAMED, engine/run/faultyItems FAULTS, engine/run/faultyItems ROWS, engine/run/listItems VALUES,
		engine/run/told IN_MESSAGE, engine/run/told IN_DESCRIPTION, engine/run/cancelled NAMED, engine/run/parameters SHOWN,
		engine/client/http/dryRun ROWS, engine/client/http/errors MAX_MESSAGE,
		engine/client/http/errors MAX_EXPRESSION, engine/client/http/nextStep MAX_FIELDS,
		PollingTrigger/items SAMPLES, engine/form/numbers LONGEST, engine/client/http/redact SHORTEST`,
	'It is a default that the form shows, or some minutes that a text tells of': `
		engine/form/options TOOL_LIMIT, engine/run/changes REPEATED`,
	"It's a unit, a status of HTTP, or the form of what is stored": `
		PollingTrigger/pollState DAY, PollingTrigger/payments DAY, PollingTrigger/time SECOND, PollingTrigger/packedState BYTE,
		PollingTrigger/fieldHashes LENGTH, api/pickerLists DAY, Trigger/body TOO_LARGE,
		Trigger/body UNREADABLE, Trigger/delivery UNAUTHORIZED, Trigger/delivery LATER,
		Trigger/secrets BYTES, Trigger/secrets TIME_BYTES, Trigger/secrets RANDOM_BYTES,
		engine/client/traffic/limit SECOND, engine/node/keepNew TEXTS_OF_A_KEY, engine/run/idempotency TEXTS,
		engine/run/decimal PLACES, engine/run/valueStore FINGERPRINT, engine/run/valueStore LONGEST,
		engine/run/valueStore CODE, Scheduler/event END_OF_DAY, engine/form/simplify MAX_SECONDS`,
};

const left = Object.values(others).flatMap((names) => names.split(',').map((name) => name.trim()));

const folder = join(__dirname, '..');

const tests = ['contract', 'execution', 'unit']
	.flatMap((name) =>
		readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((file) =>
			join(folder, name, file),
		),
	)
	.filter((file) => file.endsWith('.test.cts') && !file.endsWith('constants.test.cts'))
	.map((file) => readFileSync(file, 'utf8'));

/** Named by a test that takes it from `test/constants.cts`. */
const isTried = (name: string) => {
	const [file, constant] = name.split(' ');
	return tests.some(
		(text) =>
			text.includes("constants.cts'") && text.includes(file) && text.includes(` ${constant}`),
	);
};

test('each constant is tried on both sides, or has a reason why not', () => {
	const names = [...constants.keys()];
	expectNone(
		names.filter((name) => !left.includes(name) && !isTried(name)),
		'Try the constant below, at and above it (bothSides of test/constants.cts), or say above why one more or less is not wrong.',
	);
	expectNone(
		left.filter((name, index) => !constants.has(name) || left.indexOf(name) !== index),
		'Take the constant out of the reasons: it is not there anymore, or has a reason already.',
	);
});

/** In milliseconds. */
const units: Record<string, number> = {
	DAY: 86_400_000,
	HOUR: 3_600_000,
	MINUTE: 60_000,
	SECOND: 1000,
};

test('a unit of time is what its name says', () => {
	const named = [...constants].filter(([name]) => name.split(' ')[1] in units);
	expect(named.length).toBeGreaterThan(3);
	for (const [name, value] of named)
		expect([name, value]).toEqual([name, units[name.split(' ')[1]]]);
});
