// Connections to AI models (reference: AI Gateway, Connection).
import { create, getMany, loadedChoice, locator, operation, remove, update } from '../api';
import { ownId } from '../api/simplify';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { recordOf } from '../engine/base/data';
import {
	additionalFields,
	choice,
	labelOf,
	number,
	text,
	updateFields,
} from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { name, status } from './fields';
import { getOne } from './getOne';

const connectionId = locator('aiConnections', {
	name: 'connectionId',
	required: true,
	placeholder: 'e.g. aic-1',
});

const model = text({
	name: 'model',
	placeholder: 'e.g. text-embedding-3-small',
	send: { maxLength: 160 },
	description: 'Exact ID at the provider, up to 160 characters',
});

const baseUrl = text({
	name: 'baseUrl',
	placeholder: 'e.g. https://models.example.com/v1',
	// Without it, the provider's own URL gets the credential and all prompts.
	send: { as: 'base_url', format: 'https', getsKey: true, empty: 'refusedInForm' },
	description: 'With https://',
});

const costs = ['input', 'output'].map((kind) =>
	number({
		displayName: `${labelOf(kind)} Cost per Million Tokens (USD)`,
		name: `${kind}Cost`,
		send: { as: `${kind}_cost_per_million`, empty: 'refusedInForm' },
		description: 'As you estimate it',
	}),
);

const credential = text({
	name: 'credential',
	typeOptions: { password: true },
	description: 'An expression that reads your secret store. Text would be saved in the workflow.',
});

/** Some providers have no default URL, so Base URL must be set. The reference calls one vendor `vendor_d`. */
function checkBaseUrl({ body }: ApiRequest): void {
	const { provider, base_url } = recordOf(body);
	const key = String(provider);
	if (base_url === undefined && (key === 'vendor_d' || key.endsWith('_compatible'))) {
		throw new FieldFault(baseUrl.displayName, `must be set for the provider ${key}`);
	}
}

export const connection = resource('connection', {
	description: 'Connections to AI models',
	ids: [connectionId],
	operations: [
		create({
			action: 'Create a connection',
			description: 'Connect a model and return the connection, without its credential',
			route: 'POST /ai-gateway/connections.json',
			check: checkBaseUrl,
			fields: [
				{ ...name, required: true },
				choice({
					name: 'purpose',
					default: 'generation',
					options: [
						{
							name: 'Embedding',
							value: 'embedding',
							description: 'For embeddings and vector knowledge bases',
						},
						{ name: 'Generation', value: 'generation', description: 'For generating text' },
					],
					description: "You can't change it later",
				}),
				loadedChoice('aiProviders', {
					name: 'provider',
					typeOptions: { loadOptionsDependsOn: ['purpose'] },
					required: true,
					description: "You can't change it later",
				}),
				{ ...model, required: true },
				{
					...baseUrl,
					description: 'With https://. Compatible providers and some others need it.',
				},
				credential,
				additionalFields([...costs, status]),
			],
		}),
		remove({
			action: 'Delete a connection',
			description:
				'Delete a connection and return its ID. Fails while an assistant or a vector knowledge base uses it.',
			route: 'DELETE /ai-gateway/connections/{connectionId}.json',
			simplify: ownId('connection_id'),
		}),
		getOne({
			field: 'connectionId',
			list: 'aiConnections',
			description: 'Return a connection with provider, purpose, model and status',
			placeholder: 'e.g. aic-1',
		}),
		getMany({
			action: 'Get many connections',
			description: 'Return connections with provider, purpose, model and status',
			route: 'GET /ai-gateway/connections.json',
			...filteredBy('connections', { purpose: {}, status: {} }),
		}),
		operation('rotateCredential', {
			action: 'Rotate the credential of a connection',
			description: 'Replace the credential of a connection. Returns whether one is configured.',
			notice: 'This replaces the current credential for good',
			route: 'POST /ai-gateway/connections/{connectionId}/rotate.json',
			fields: [{ ...credential, required: true }],
		}),
		operation('test', {
			action: 'Test a connection',
			description:
				'Call the provider of a connection. Returns status, duration, tokens used and estimated cost.',
			notice: 'A test calls the provider, which may cost tokens',
			route: 'POST /ai-gateway/connections/{connectionId}/test.json',
			simplify: ownId('connection_id'),
		}),
		update({
			action: 'Update a connection',
			description: 'Update a connection and return its ID, name and status',
			route: 'PUT /ai-gateway/connections/{connectionId}.json',
			whole: { route: 'GET /ai-gateway/connections.json' },
			fields: [
				updateFields([
					name,
					baseUrl,
					...costs,
					{
						...model,
						description: 'Fails if a vector knowledge base depends on the current one',
					},
					status,
				]),
			],
		}),
	],
});
