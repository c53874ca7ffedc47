// The API as the forms of the editor use it: for pickers and for the fields of a mapper.
import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { Api } from './api';
import { connect } from './connection';
import { nodeError } from './errors';
import { Gate } from './gate';
import { FieldFault, type Operation } from './operation';
import { fillPath, pathParameters } from './path';
import { Transport } from './transport';

/** Requests in flight while a picker searches. */
export const EDITOR_PARALLEL = 5;

/** A form waits for its dropdown and cannot cancel it: seconds, not minutes. */
const PATIENCE = { timeout: 15_000, budget: 15_000 };

/** The endpoint that a form asks. */
export type EditorEndpoint = Pick<Operation, 'method' | 'path' | 'scope' | 'repeatable'> & {
	label: string;
};

/** What the form calls the field of a path parameter: `Knowledge Base` for `knowledgeBaseId`. */
function labelOf(parameter: string): string {
	const words = parameter.replace(/Id$/, '').replace(/([A-Z])/g, ' $1');
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The API and the path of an endpoint, filled with what the form holds at the moment.
 * @param known parameters of the path that do not come from the form
 * @throws FieldFault when a field that the path needs is still empty
 */
export async function editorApi(
	context: ILoadOptionsFunctions,
	{ label, ...endpoint }: EditorEndpoint,
	known: Record<string, unknown> = {},
): Promise<{ api: Api; path: string }> {
	const parameters = Object.fromEntries(
		pathParameters(endpoint.path).map((name) => [
			name,
			known[name] ?? context.getCurrentNodeParameter(name, { extractValue: true }),
		]),
	);
	for (const [name, value] of Object.entries(parameters)) {
		if (value === undefined || value === null || value === '') {
			throw new FieldFault(labelOf(name), 'must be chosen first: this list depends on it');
		}
	}
	const path = fillPath(endpoint.path, parameters, labelOf);
	const transport = new Transport(
		context,
		await connect(context),
		new Gate(EDITOR_PARALLEL),
		PATIENCE,
	);
	const api = new Api(transport, new Map(), 0, {
		node: context.getNode(),
		operation: { ...endpoint, action: label },
		secrets: transport.connection.secrets,
	});
	return { api, path };
}

/** Turns what goes wrong in the editor into errors that it shows. */
export async function inEditor<T>(context: ILoadOptionsFunctions, work: Promise<T>): Promise<T> {
	return await work.catch((error: unknown) => {
		const situation = { node: context.getNode(), secrets: [] };
		throw nodeError(error, situation);
	});
}
