// The error that names all items that can't be sent. Items with the same fault are named together.
import { firstOf, sentence } from '../base/data';

/** Max faults that the error names, and max rows of each. The others are only counted. */
const FAULTS = 10;
const ROWS = 10;

interface Words {
	nameOf: (index: number) => string;
	messageOf: (fault: Error) => string;
}

/** The fault without the value of its item, `(got "x")`, so that items with the same fault have the same text. */
const kindOf = ({ message }: Error): string => message.replace(/ \(got (?:".*?"|[^)]*)\)/s, '');

/** `All 30 rows`, or the first item by its name and the others by their rows. */
function placesOf([first, ...others]: number[], items: number, nameOf: Words['nameOf']): string {
	if (others.length + 1 === items) return `All ${items} rows`;
	if (others.length === 0) return nameOf(first);
	const rows = others.map((index) => String(index + 1));
	return `${nameOf(first)}, also ${rows.length === 1 ? 'row' : 'rows'} ${firstOf(rows, ROWS)}`;
}

/** The message of the error for all items that can't be sent. `items` is the number of items of the run. */
export function faultsText(
	faults: Map<number, Error>,
	items: number,
	{ nameOf, messageOf }: Words,
): string {
	const kinds = new Map<string, { fault: Error; indexes: number[] }>();
	for (const [index, fault] of faults) {
		const kind = kindOf(fault);
		const same = kinds.get(kind) ?? { fault, indexes: [] };
		same.indexes.push(index);
		kinds.set(kind, same);
	}
	const named = [...kinds.values()].slice(0, FAULTS).map(({ fault, indexes }) => {
		const places = placesOf(indexes, items, nameOf);
		return `${places}: ${sentence(messageOf(fault))}`;
	});
	if (kinds.size > FAULTS) named.push(`And ${kinds.size - FAULTS} more faults.`);
	const count =
		faults.size === items
			? `None of the ${items} items can`
			: `${faults.size} of ${items} items can't`;
	return `${count} be sent, so nothing was sent. ${named.join(' ')}`;
}
