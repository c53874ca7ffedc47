// The tables of docs/reliability.md: the rules of the client, what each fault comes to, and what becomes of
// a list that changes while it is read.
import { allRules, type Rule } from '../dist/nodes/shared/client/meaning.js';
import { faultCases, pagingCases, type Meaning } from '../test/table/reliability.cts';

const happens: Record<Meaning, [repeatable: string, other: string]> = {
	refused: ['sent again', 'sent again'],
	broken: ['sent again', 'error, **not** sent again'],
	unreadable: ['error', 'error, **not** sent again'],
	redirected: ['error, not followed', 'error, not followed, **not** sent again'],
	said: ['error', 'error'],
	harmless: ['taken', 'taken'],
};

const exceptions = {
	file: 'a file is taken as it comes',
	open: 'an answer whose shape the reference does not show may be empty',
	report: 'a result of _Workflow: Run_',
	object: '',
};

const again: Record<Rule['again'], [repeatable: string, other: string]> = {
	any: ['sent again', 'sent again'],
	repeatable: ['sent again', 'error, **not** sent again'],
	none: ['error', 'error'],
};

/** The rules of the engine as a table in Markdown. */
export function rulesTable(): string {
	const rows = allRules.map(({ when, again: which, doubt }) => {
		const [repeatable, other] = again[which];
		return `| ${when} | ${repeatable} | ${other} | ${doubt ? 'yes' : 'no'} |`;
	});
	return [
		'| What happens | Safe to repeat | Not safe to repeat | May have been applied |',
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
		'| What happens | Safe to repeat | Not safe to repeat | What the message says |',
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
