// The tables of docs/reliability.md: the rules of the client, what each fault comes to, and what becomes of
// a list that changes while it is read.
import { allRules, type Rule } from '../dist/nodes/shared/client/http/meaning.js';
import { faultCases, pagingCases, type Meaning } from '../test/table/reliability.cts';

const happens: Record<Meaning, [repeatable: string, other: string]> = {
	refused: ['retried', 'retried'],
	broken: ['retried', 'error, **not** retried'],
	unreadable: ['error', 'error, **not** retried'],
	redirected: ['error, not followed', 'error, not followed, **not** retried'],
	said: ['error', 'error'],
	partly: ['error', 'error, **not** retried'],
	harmless: ['accepted', 'accepted'],
};

const exceptions = {
	file: 'a file is accepted as it is',
	open: "a response that the API reference doesn't describe may be empty",
	report: 'a result of _Workflow: Run_',
	object: '',
};

const again: Record<Rule['again'], [repeatable: string, other: string]> = {
	any: ['retried', 'retried'],
	repeatable: ['retried', 'error, **not** retried'],
	none: ['error', 'error'],
};

/** The rules of the engine as a table in Markdown. */
export function rulesTable(): string {
	const rows = allRules.map(({ when, again: which, doubt }) => {
		const [repeatable, other] = again[which];
		return `| ${when} | ${repeatable} | ${other} | ${doubt ? 'yes' : 'no'} |`;
	});
	return [
		'| What happens | Safe to retry | Not safe to retry | May have gone through |',
		'|---|---|---|---|',
		...rows,
	].join('\n');
}

/** The matrix as a table in Markdown. */
export function faultTable(): string {
	const rows = faultCases.map(({ what, meaning, says, except = [] }) => {
		const [repeatable, other] = happens[meaning];
		const notes = except.map((each) => exceptions[each]).join('; ');
		const message = says === '' ? '' : `"${says.replace(/^Fault /, '… ')} …"`;
		return `| ${what}${notes === '' ? '' : ` (${notes})`} | ${repeatable} | ${other} | ${message} |`;
	});
	return [
		'| What happens | Safe to retry | Not safe to retry | Message |',
		'|---|---|---|---|',
		...rows,
	].join('\n');
}

/** What happens to lists as a table in Markdown. */
export function pagingTable(): string {
	return [
		'| While the pages are read | What the user gets |',
		'|---|---|',
		...pagingCases.map(({ what, gets }) => `| ${what} | ${gets} |`),
	].join('\n');
}
