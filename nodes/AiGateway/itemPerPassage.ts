// Embeddings as one item for each passage.
import { isRecord, type Simplify } from '../shared/operation';

/**
 * `{data: [{index, embedding}], model, usage, svc}` -> an item for each passage:
 * `{index, text, embedding, model}`. Tokens and cost are in the raw data.
 */
export const itemPerPassage: Simplify = (rows, { body }) =>
	rows.flatMap((row) => {
		if (!isRecord(row) || !Array.isArray(row.data) || !row.data.every(isRecord)) return [row];
		const texts = [body?.input].flat();
		return row.data.map((each) => {
			const { object, index, ...passage } = each;
			// Only a name of the kind of object.
			const kind = object === undefined || object === 'embedding' ? {} : { object };
			return { index, text: texts[Number(index)], ...kind, ...passage, model: row.model };
		});
	});
