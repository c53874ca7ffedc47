// When a run stops at an error, n8n only shows the error. So the error also says what happened to the
// other items.
import type { INodeExecutionData } from 'n8n-workflow';

const IN_MESSAGE = 20;

const IN_DESCRIPTION = 1000;

/** An item and the id that the API gave for it, if there is one. */
function nameOf(index: number, outputs: INodeExecutionData[]): string {
	const ids = outputs.flatMap(({ json }) =>
		json.id === undefined || json.id === null ? [] : [String(json.id)],
	);
	return ids.length > 0 ? `${index} (ID ${ids.join(', ')})` : String(index);
}

/** The first of some texts, and how many more there are. */
export function firstOf(all: string[], most: number): string {
	const shown = all.slice(0, most).join(', ');
	return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}

/** Which items were done, and which may have been; empty where there are none. */
export function appliedText(
	results: INodeExecutionData[][],
	doubtful: number[],
	most = IN_DESCRIPTION,
): string {
	const done: string[] = [];
	results.forEach((outputs, index) => done.push(nameOf(index, outputs)));
	return [
		...(done.length > 0
			? [`Already done, but not in the output: item ${firstOf(done, most)}.`]
			: []),
		...(doubtful.length > 0
			? [`May have gone through: item ${firstOf(doubtful.map(String), most)}.`]
			: []),
	].join(' ');
}

/** The texts of an error before anything was added: a run that is tried again ends with the same one. */
const plain = new WeakMap<Error, { message: string; description?: string | null }>();

type StopError = Error & { description?: string | null; context?: { itemIndex?: number } };

/**
 * Adds to the error that ends a run which items were done, with their ids, and which may have been, so
 * that they can be left out when the rest is run again.
 * @param results outputs of the items that are done, by item
 * @param doubtful items that may have been applied
 */
export function tellApplied(
	error: StopError,
	results: INodeExecutionData[][],
	doubtful: number[],
): void {
	const { message, description } = plain.get(error) ?? error;
	plain.set(error, { message, description });
	const others = doubtful.filter((index) => index !== error.context?.itemIndex);
	const tell = (most: number) => appliedText(results, others, most);
	if (tell(1) === '') return;
	const leave = 'Leave them out when you run the rest.';
	error.message = `${message.replace(/\.?$/, '.')} ${tell(IN_MESSAGE)} ${leave}`;
	const done = results.filter((outputs) => outputs !== undefined).length;
	if (done > IN_MESSAGE) {
		error.description = [description, `${tell(IN_DESCRIPTION)} ${leave}`]
			.filter(Boolean)
			.join('. ');
	}
}
