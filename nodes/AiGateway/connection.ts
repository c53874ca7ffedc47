// Connections to providers of models (reference: AI Gateway, Connection).
import { locator } from '../shared/pickers';
import {
	FieldFault,
	recordOf,
	type ApiRequest,
	type Field,
	type Resource,
} from '../shared/operation';
import { name, status } from './fields';

const connectionId = locator('aiConnections', {
	displayName: 'Connection',
	name: 'connectionId',
	required: true,
	description: 'The connection to work with',
	placeholder: 'e.g. conn_12',
});

const ownName: Field = {
	...name,
	send: { maxLength: 120 },
	description: 'Name of the connection, up to 120 characters',
};

const model: Field = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: '',
	send: { maxLength: 160 },
	description: "The provider's exact ID of the model, up to 160 characters",
};

const baseUrl: Field = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	default: '',
	placeholder: 'e.g. https://models.example.com/v1',
	send: { as: 'base_url', format: 'https' },
	description: "Address of the provider's API, with https://",
};

const costs: Field[] = [
	{
		displayName: 'Input Cost per Million Tokens (USD)',
		name: 'inputCost',
		type: 'number',
		typeOptions: { numberPrecision: 6 },
		default: 0,
		send: { as: 'input_cost_per_million' },
		description: 'Your estimate of the price of a million input tokens',
	},
	{
		displayName: 'Output Cost per Million Tokens (USD)',
		name: 'outputCost',
		type: 'number',
		typeOptions: { numberPrecision: 6 },
		default: 0,
		send: { as: 'output_cost_per_million' },
		description: 'Your estimate of the price of a million output tokens',
	},
];

const credential: Field = {
	displayName: 'Credential',
	name: 'credential',
	type: 'string',
	typeOptions: { password: true },
	default: '',
};

const secretNotice =
	"The provider's credential is write-only: the API never returns it. Do not type it here, where it is saved with the workflow, but take it with an expression from a node that reads your secret store.";

/** `vendor_d` and the compatible providers have no address of their own. */
function checkBaseUrl({ body }: ApiRequest): void {
	const { provider, base_url } = recordOf(body);
	const key = String(provider);
	if (base_url === undefined && (key === 'vendor_d' || key.endsWith('_compatible'))) {
		throw new FieldFault(baseUrl.displayName, `must be set for the provider ${key}`);
	}
}

export const connection: Resource = {
	name: 'Connection',
	value: 'connection',
	operations: [
		{
			name: 'Create',
			value: 'create',
			action: 'Create a connection',
			description: 'Connect a model of a provider and return the connection without its credential',
			notice: secretNotice,
			route: 'POST /ai-gateway/connections.json',
			check: checkBaseUrl,
			fields: [
				{ ...ownName, required: true },
				{
					displayName: 'Provider Name or ID',
					name: 'provider',
					type: 'options',
					typeOptions: { loadOptionsMethod: 'aiProviders' },
					required: true,
					default: '',
					description:
						'Provider of the model; it cannot be changed later. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
				},
				{
					displayName: 'Purpose',
					name: 'purpose',
					type: 'options',
					default: 'generation',
					options: [
						{
							name: 'Embedding',
							value: 'embedding',
							description: 'To turn texts into vectors, for embeddings and vector knowledge bases',
						},
						{ name: 'Generation', value: 'generation', description: 'To write answers' },
					],
					description: 'What the model is used for; it cannot be changed later',
				},
				{ ...model, required: true },
				{
					...baseUrl,
					description:
						"Address of the provider's API, with https://. The provider vendor_d and the compatible providers need it.",
				},
				{
					...credential,
					description: "The provider's key, if the provider needs authentication",
				},
				{
					displayName: 'Additional Fields',
					name: 'additionalFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: costs,
				},
			],
		},
		{
			name: 'Delete',
			value: 'delete',
			action: 'Delete a connection',
			description:
				'Delete a connection; refused while an assistant or a vector knowledge base depends on it',
			notice: 'Deleting a connection cannot be undone.',
			route: 'DELETE /ai-gateway/connections/{connectionId}.json',
			fields: [connectionId],
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many connections',
			description: 'Return the connections with provider, purpose, model and status',
			route: 'GET /ai-gateway/connections.json',
		},
		{
			name: 'Rotate Credential',
			value: 'rotateCredential',
			action: 'Rotate the credential of a connection',
			description: 'Replace the credential of a connection and return whether one is configured',
			notice: secretNotice,
			route: 'POST /ai-gateway/connections/{connectionId}/rotate.json',
			fields: [
				connectionId,
				{
					...credential,
					required: true,
					description: "The provider's new key; it takes the place of the present one",
				},
			],
		},
		{
			name: 'Test',
			value: 'test',
			action: 'Test a connection',
			description:
				'Ask the provider of a connection and return status, duration, tokens used and estimated cost',
			notice: 'A test asks the provider, which may cost tokens. It is never repeated by itself.',
			route: 'POST /ai-gateway/connections/{connectionId}/test.json',
			fields: [connectionId],
		},
		{
			name: 'Update',
			value: 'update',
			action: 'Update a connection',
			description: 'Change a connection and return its ID, name and status',
			route: 'PUT /ai-gateway/connections/{connectionId}.json',
			fields: [
				connectionId,
				{
					displayName: 'Update Fields',
					name: 'updateFields',
					type: 'collection',
					placeholder: 'Add field',
					default: {},
					options: [
						baseUrl,
						...costs,
						{
							...model,
							description:
								"The provider's exact ID of the model, up to 160 characters. Refused if a vector knowledge base depends on the present model: create a new connection and index again instead.",
						},
						ownName,
						status,
					],
				},
			],
		},
	],
};
