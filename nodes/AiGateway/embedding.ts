// Embeddings of texts (reference: AI Gateway, Embeddings request).
import { create } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { isRecord } from '../engine/base/data';
import { additionalFields, choice, text } from '../engine/form/fields';
import { resource, type Simplify } from '../engine/form/operation';
import { dimensions, embedInBatches, passageFault, retryBrokenField } from './embeddingBatches';
import { embeddingConnection } from './fields';

function checkPassages({ body }: ApiRequest): void {
	const fault = passageFault([body?.input].flat().map(String));
	if (fault !== undefined) throw new FieldFault('Passages', fault);
}

/**
 * `{data: [{index, embedding}], model, usage, svc}` -> one item per passage:
 * `{index, text, embedding, model}`. Tokens and cost only come without Simplify. `index` counts all passages of an input item.
 */
const itemPerPassage: Simplify = (rows, { body }) =>
	rows.flatMap((row) => {
		if (!isRecord(row) || !Array.isArray(row.data) || !row.data.every(isRecord)) return [row];
		const texts = [body?.input].flat();
		return row.data.map((each) => {
			const { object, index, ...passage } = each;
			// Left out if it's the documented one, which is the same in every row.
			const kind = object === undefined || object === 'embedding' ? {} : { object };
			return { index, text: texts[Number(index)], ...kind, ...passage, model: row.model };
		});
	});

export const embedding = resource('embedding', {
	description: 'Vectors of texts',
	operations: [
		create({
			action: 'Create embeddings',
			description:
				'Create embeddings, which costs tokens. Returns an item for each vector, the cost without Simplify.',
			notice: 'This costs tokens',
			builderHint: 'For a vector store of n8n use platformEmbeddings instead.',
			// The alias /ai-gateway/embeddings.json may leave out parts of the bill (`svc`).
			route: 'POST /ai-gateway/embeddings',
			simplify: itemPerPassage,
			check: checkPassages,
			run: embedInBatches,
			fields: [
				embeddingConnection,
				text({
					name: 'passages',
					typeOptions: { rows: 4 },
					required: true,
					send: { as: 'input', type: 'texts', minItems: 1 },
					description: 'A text, or an array of texts from an expression. Max 128 KB each.',
				}),
				additionalFields([
					dimensions,
					choice({
						name: 'inputType',
						default: 'document',
						send: { as: 'input_type' },
						options: [
							{ name: 'Document', value: 'document', description: 'Text to search in' },
							{ name: 'Query', value: 'query', description: 'Text to search for' },
						],
						description: 'For providers that tell roles apart',
					}),
					text({
						name: 'model',
						placeholder: 'e.g. text-embedding-3-small',
						description: 'Fails if the connection has another one',
					}),
					retryBrokenField,
				]),
			],
		}),
	],
});
