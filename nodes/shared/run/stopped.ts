// When a run stops at an error, n8n only shows the error. So the error also names the items that were done.
import type { INodeExecutionData } from 'n8n-workflow';

/** Max items that a message names. */
const IN_MESSAGE = 20;

/** Max items that a description names. */
const IN_DESCRIPTION = 1000;

/** Index of an item, with the IDs in its output. */
function nameOf(index: number, outputs: INodeExecutionData[]): string {
	const ids = outputs.flatMap(({ json }) =>
		json.id === undefined || json.id === null ? [] : [String(json.id)],
	);
	return ids.length > 0 ? `${index} (ID ${ids.join(', ')})` : String(index);
}

/** Joins the first texts and counts the others. */
export function firstOf(all: string[], most = 10): string {
	const shown = all.slice(0, most).join(', ');
	return all.length > most ? `${shown} and ${all.length - most} more` : shown;
}

/** Names the items that were done and those that may have been; empty if there are none. */
export function appliedText(
	results: INodeExecutionData[][],
	doubtful: number[],
	most = IN_DESCRIPTION,
): string {
	const done: string[] = [];
	results.forEach((outputs, index) => done.push(nameOf(index, outputs)));
	const texts: string[] = [];
	if (done.length > 0) {
		texts.push(`Already done, but not in the output: item ${firstOf(done, most)}.`);
	}
	if (doubtful.length > 0) {
		texts.push(`May have gone through: item ${firstOf(doubtful.map(String), most)}.`);
	}
	return texts.join(' ');
}

/** Original texts of errors: a retry may end with the same error object again. */
const plain = new WeakMap<Error, { message: string; description?: string | null }>();

type StopError = Error & { description?: string | null; context?: { itemIndex?: number } };

/**
 * Adds the items that were done, or may have been, to the error that stops a run. The user can then leave
 * them out when running the rest.
 * @param results outputs of the items that are done, by item
 * @param doubtful items that may have gone through
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
