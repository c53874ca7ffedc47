// Texts of the form in the words of a model, which knows names of arguments and tools in place of labels and operations.
import { snake, type Field } from '../engine/form/fields';
import type { Operation } from '../engine/form/operation';

/** Texts of the form, each with what a model knows in its place. */
export type Words = Array<[form: string, model: string]>;

/** No argument is called `query`, because n8n looks for arguments inside of one with that name. */
export const argumentName = ({ name }: Field): string =>
	name === 'query' ? 'question' : snake(name);

/** Labels of fields, and choices as texts name them (`Label to Choice`), in the words of a model. */
export function wordsOf(fields: Field[]): Words {
	return fields.flatMap((field): Words => {
		const { displayName: label, options = [], type } = field;
		if (type === 'notice') return [];
		const name = argumentName(field);
		if (type === 'collection') return wordsOf(field.options);
		if (type === 'fixedCollection') return [...wordsOf(field.options[0].values), [label, name]];
		const choices = options.flatMap((each): Words =>
			'value' in each ? [[`${label} to ${each.name}`, `${name} to ${String(each.value)}`]] : [],
		);
		return [...choices, [label, name]];
	});
}

/** Replaces texts where they stand as words of their own, the longest first. */
export function translated(text: string, words: Words): string {
	const replacements = new Map(words);
	const escaped = [...replacements.keys()]
		.sort((one, other) => other.length - one.length)
		.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	if (escaped.length === 0) return text;
	const pattern = new RegExp(`(?<!\\w)(?:${escaped.join('|')})(?!\\w)`, 'g');
	return text.replace(pattern, (each) => replacements.get(each) ?? each);
}

/** Only the person who has set up the node can take such a step. A connection to a model has a credential and a URL, too. */
const isOfOwner = (step: string): boolean =>
	/\bcredential\b|Base URL/.test(step) && !step.includes(' of the connection');

/** Nothing that a model has sent makes the API redirect. */
const REDIRECTED = 'The API redirected. ';

export const listed = ([name, tool]: Words[number]): string =>
	`${tool} lists ${name.endsWith('s') ? 'the' : 'each'} ${name}.`;

/** The next step after an error, for a model that gave these arguments. `lists` are tools that list their values. */
export function advice(text: string, words: Words, given: string[], lists: Words): string {
	if (text.startsWith(REDIRECTED)) return `${REDIRECTED}${ofOwner([])}`;
	// A model has no Settings.
	const step = isOfOwner(text)
		? ofOwner(given)
		: translated(text.replace(/[^.]* in Settings\./, ' Try again later.'), words);
	const checked = lists.filter(([name]) => new RegExp(`Check .*\\b${name}\\b`).test(step));
	return [step, ...checked.map(listed)].join(' ');
}

/** Values that the model has given may be wrong, too. */
function ofOwner(given: string[]): string {
	const who = 'the user to check the API key and the URL of this tool.';
	return given.length > 0
		? `Check ${given.join(', ')}. If that's right, tell ${who}`
		: `Tell ${who}`;
}

/** Sentences beyond the first that a model needs: what isn't known for sure, and what is taken by default. */
const NEEDED = /\b(reference|check|default)\b|→/i;

/** Sentences about a field of the form that is left empty. */
const OF_FORM = /^If (left )?empty/;

/** Parts of a description that only matter in a form, or that the type and the limits of a schema say. */
const NOISE = [
	/<[^>]*>/g,
	/Comma-separated (?=\w)|^Return only |^Whether (to )?/g,
	/[:,]?( separated by[\w ]*| comma-separated IDs)?,? or an array from an expression/,
	/^Use By ID .*/,
	/,? as (a JSON (object|array)|JSON)(?= |$|\.)/,
	/, up to [\d,]+ characters|, 1 to 10| \(ISO 3166-1 alpha-2\)/,
];

/** Sentences of an operation about its form, its items and its requests. */
const OF_ITEMS =
	/,? one item( for)? each( record)?| Only the fields you add are sent\.| Reads the list [^.]*\./g;

export const describedTool = ({ description, tool = description }: Operation): string =>
	tool.replace(OF_ITEMS, '');

/** Words that say nothing beside the name of an argument and of its tool. */
const EMPTY = 'a address for id in of own that the this to with work your';

/** Words in the singular tell if two texts say the same. */
const wordsIn = (text: string) =>
	text
		.toLowerCase()
		.split(/[^a-z']+/)
		.map((word) => word.replace(/('s|s)$/, ''));

/**
 * The first sentence of the field's description, unless the names of argument and tool say it, too, the sentences that a model
 * needs, and the default. Empty if nothing is left.
 */
export function describedBy(field: Field, tool: string, words: Words): string {
	const { description = '', type } = field;
	const [first = '', ...others] = description.split(/(?<=\.) /);
	const plain = NOISE.reduce((text, noise) => text.replace(noise, ''), first.replace(/\.$/, ''));
	const inNames = new Set(wordsIn(`${argumentName(field)} ${tool} ${EMPTY}`));
	const said = wordsIn(plain).filter((word) => word !== '' && !inNames.has(word));
	const needed = others.filter((each) => NEEDED.test(each) && !OF_FORM.test(each));
	const [standard] = [field.default].flat().filter((each) => each !== '' && isSetting(field));
	const texts = [
		said.length > 1 ? plain.charAt(0).toUpperCase() + plain.slice(1) : '',
		...needed.map((each) => each.replace(/\.$/, '')),
		standard === undefined ? '' : `Default: ${String(standard)}`,
	];
	const text = translated(texts.filter(Boolean).join('. '), words);
	return type === 'dateTime' ? `${text} (ISO 8601)`.trim() : text;
}

/** The default of such a choice counts where it isn't made. */
const isSetting = ({ type, send }: Field): boolean =>
	type === 'options' && send !== false && send?.setting === true;
