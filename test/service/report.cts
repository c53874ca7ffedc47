// What was found, as tables: names of members, types and statuses, never a value of the account.
import { checkAnswer, contract, type Endpoint } from '../contract/contract.cts';
import { dimensionNames, dimensions, type Dimension } from '../contract/worlds.cts';
import { isError, type Learned } from './learn.cts';
import { NO_ID, type Visited } from './walk.cts';

/** All names of members that the contract knows: other names are the account's own. */
const knownNames = new Set<string>(['answer']);
(function collect(value: unknown): void {
	if (typeof value !== 'object' || value === null) return;
	const { properties } = value as { properties?: unknown };
	if (typeof properties === 'object' && properties !== null) {
		for (const name of Object.keys(properties)) knownNames.add(name);
	}
	for (const each of Object.values(value)) collect(each);
})(contract);

/** A problem without positions in lists and without names that are not the reference's. */
function anonymous(problem: string): string {
	const [place, ...words] = problem.split(' ');
	const path = place
		.split('/')
		.map((name) => (knownNames.has(name) ? name : '*'))
		.join('/');
	return place.startsWith('answer') ? [path, ...words].join(' ') : problem;
}

/** Verdicts, first those that call for a look. */
const verdicts = ['differs', 'no access', 'not asked', 'as documented'] as const;

type Verdict = (typeof verdicts)[number];

/** What is to be said of one endpoint. */
export interface Row {
	endpoint: string;
	verdict: Verdict;
	status?: number;
	how: string;
}

/** Problems that are told of one answer. */
const PROBLEMS = 4;

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

/** Holds one answer against the contract. */
export function rowOf({ endpoint, answer }: Visited): Row {
	const name = nameOf(endpoint);
	if (!answer)
		return { endpoint: name, verdict: 'not asked', how: 'no record to ask for was found' };
	const { status, body, raw, path } = answer;
	// Where a record is asked for that nobody has, a 403 may be about the record.
	const isRefused = (status === 401 || status === 403) && !path.includes(NO_ID);
	if (isRefused) {
		const how = endpoint.scope ? `the key lacks ${endpoint.scope}` : 'refused';
		return { endpoint: name, verdict: 'no access', status, how };
	}
	const [pathname] = path.split('?');
	const found = checkAnswer({ method: 'GET', path: pathname, status, body: raw ?? body });
	const problems = [...new Set(found.map(anonymous))];
	const more = problems.length > PROBLEMS ? `; and ${problems.length - PROBLEMS} more` : '';
	return {
		endpoint: name,
		verdict: problems.length === 0 ? 'as documented' : 'differs',
		status,
		how:
			problems.slice(0, PROBLEMS).join('; ') +
			more +
			(problems.length === 0 && isError(body) ? 'an error, as documented' : ''),
	};
}

/** Columns as wide as their widest cell. */
function aligned(rows: readonly string[][]): string {
	const widths = rows[0].map((_cell, column) => Math.max(...rows.map((row) => row[column].length)));
	return rows
		.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column]))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** The table of endpoints, first those that call for a look. */
export function endpointTable(rows: readonly Row[]): string {
	const sorted = verdicts.flatMap((each) => rows.filter(({ verdict }) => verdict === each));
	return aligned([
		['Endpoint', 'Status', 'Verdict', 'Where and how'],
		...sorted.map(({ endpoint, status, verdict, how }) => [
			endpoint,
			status === undefined ? '' : String(status),
			verdict,
			how,
		]),
	]);
}

const isChoice = ({ name, found }: Learned): boolean => {
	const { choices }: Dimension = dimensions[name];
	return choices.includes(found);
};

/** The table of open questions that the answers close. */
export function questionTable(learned: readonly Learned[]): string {
	return aligned([
		['Open question', 'Closed with', 'Name'],
		...learned.map((each) => {
			const { decides }: Dimension = dimensions[each.name];
			// What nobody foresaw could be anything: only statuses and sizes are shown.
			const shown = isChoice(each) || /^\d+$/.test(each.found) ? each.found : 'something else';
			return [decides, isChoice(each) ? shown : `${shown} (none of the known choices)`, each.name];
		}),
	]);
}

/** What was found, in two lines. */
export function summary(
	rows: readonly Row[],
	learned: readonly Learned[],
	requests: number,
): string {
	const sums = verdicts.map(
		(verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`,
	);
	const open = dimensionNames.length - learned.length;
	return [
		`${rows.length} endpoints, ${requests} requests: ${sums.join(', ')}`,
		`${learned.length} open questions closed, ${open} still open: most of them only show in writes and deliveries`,
	].join('\n');
}

/** The choices that a sandbox can take over. */
export function worldFile(learned: readonly Learned[]): string {
	const choices = Object.fromEntries(
		learned.filter(isChoice).map(({ name, found }) => [name, found]),
	);
	return `${JSON.stringify(choices, null, '\t')}\n`;
}
