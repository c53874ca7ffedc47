// An answer or a failure -> what the user reads: the API's own words, what happened, the next step.
import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { FieldFault, isRecord, isRepeatable, type Operation } from './operation';
import type { Outcome } from './transport';

/** What an error should tell about the request that failed. */
export interface Situation {
	node: INode;
	itemIndex?: number;
	operation?: Pick<Operation, 'action' | 'method' | 'path' | 'scope' | 'repeatable'>;
	/** The ids in the path, such as `Customer "7"`, for 'which id' after a 404. */
	ids?: string[];
	/** Texts that no error may show: the key, and write-only values of the request. */
	secrets: string[];
}

/** The `failure` of a request that was not sent: the API asks to wait for longer than it may. */
export const NOT_SENT = 'NOT_SENT';

/** Longest text of an API message that an error repeats. */
const MAX_MESSAGE = 500;

const notFound = /not found|does(n't| not) exist/i;

const usedUp = /budget|month.*(quota|limit)|(quota|limit).*month/i;

// The parameters of a node can hold secrets that the user typed, and errors are stored with their node.
const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

function redact(text: string, secrets: string[]): string {
	return secrets
		.filter((secret) => secret.length > 3)
		.reduce((shown, secret) => shown.split(secret).join('***'), text);
}

/** A body as JSON: an error that answers a request for a file arrives as bytes. */
function parsed(body: unknown): unknown {
	if (!(body instanceof Uint8Array || body instanceof ArrayBuffer)) return body;
	try {
		return JSON.parse(Buffer.from(body as Uint8Array).toString());
	} catch {
		return undefined;
	}
}

/** Keys of an error body and nothing else: an answer with more than these is a result. */
const ERROR_KEYS = new Set(['error', 'message', 'code', 'status', 'statusCode']);

/**
 * The API's message in an error body, `{error}` (reference: Errors). The statuses of most errors are
 * not shown there, so such a body is an error under any status. Undefined when the body is none.
 */
export function errorMessage(rawBody: unknown, status: number): string | undefined {
	const body = parsed(rawBody);
	if (!isRecord(body)) return undefined;
	if (status < 400 && !Object.keys(body).every((key) => ERROR_KEYS.has(key))) return undefined;
	if (typeof body.error === 'string' && body.error !== '') return body.error;
	if (status < 400) return undefined;
	if (isRecord(body.error) && typeof body.error.message === 'string') return body.error.message;
	return typeof body.message === 'string' ? body.message : undefined;
}

/** Whether the API says that what was asked for is not there; statuses are only partly documented. */
export function isNotFound(status: number, message: string | undefined): boolean {
	return status === 404 || (status < 500 && notFound.test(message ?? ''));
}

/**
 * Whether a 429 is about a budget or a monthly quota: waiting for minutes does not help. (Reference of
 * the AI gateway, Errors: 'AI Gateway monthly budget would be exceeded', its status not shown.)
 */
export function isUsedUp(answer: {
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
}): boolean {
	return (
		answer.status === 429 &&
		answer.headers['retry-after'] === undefined &&
		usedUp.test(errorMessage(answer.body, answer.status) ?? '')
	);
}

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

/** 'after 3 attempts', where there was more than one. */
const tries = ({ attempts }: Outcome) => (attempts > 1 ? ` after ${attempts} attempts` : '');

function mayBeApplied({ operation }: Situation): string {
	return operation && !isRepeatable(operation)
		? ' It may have been applied and was not sent again: look it up before you repeat it.'
		: '';
}

type Answer = Outcome & { status: number; headers: Record<string, unknown>; body: unknown };

function nextStep(outcome: Answer, message: string, situation: Situation): string {
	const { operation, ids = [] } = situation;
	const { status } = outcome;
	if (status === 401) return 'Check the API key of the credential: it is wrong or was revoked.';
	if (status === 403) {
		return operation?.scope
			? `The key may lack the scope ${operation.scope}, which this operation needs.`
			: 'The key may lack a scope that this operation needs.';
	}
	if (status === 409) {
		return /exist/i.test(message)
			? 'Something with these values exists already: update it, or send other values.'
			: 'The present state of what it concerns does not allow this.';
	}
	if (isUsedUp(outcome)) {
		return 'A budget or quota is used up, so it was not sent again: raise it, or wait until it starts anew.';
	}
	if (status === 429) {
		return `The API limits the rate. It was asked ${outcome.attempts} times and ${seconds(outcome.waited)} were spent waiting: send fewer requests in parallel, or allow a longer Retry Time in Options.`;
	}
	if (status >= 300 && status < 400) {
		return 'Put the address that the API redirects to into the Base URL of the credential: the key is not sent after a redirect.';
	}
	if (status >= 500) {
		const doubt = outcome.refused ? '' : mayBeApplied(situation);
		return `The API failed${tries(outcome)}.${doubt || ' Try again later.'}`;
	}
	if (isNotFound(status, message)) {
		return ids.length > 0
			? `Check the ${ids.join(' and the ')}.`
			: 'Check the id, and the Base URL of the credential.';
	}
	return 'Check the values of the fields.';
}

/** `GET /customers/{customerId}.json, item 0`: what was asked, without any value of the user. */
function what({ operation, itemIndex }: Situation): string {
	const parts = [
		...(operation ? [operation.action, `${operation.method} ${operation.path}`] : []),
		...(itemIndex === undefined ? [] : [`item ${itemIndex}`]),
	];
	return parts.join(', ');
}

function build(
	situation: Situation,
	message: string,
	detail: string,
	httpCode?: string,
): NodeApiError {
	const { node, itemIndex } = situation;
	const response: JsonObject = { message, ...(httpCode ? { httpCode } : {}) };
	const error = new NodeApiError(withoutParameters(node), response, {
		message,
		description: [what(situation), detail].filter(Boolean).join('. '),
		itemIndex,
		...(httpCode ? { httpCode } : {}),
	});
	// n8n swaps in texts of its own for some codes; an agent reads the message only, so ours stays.
	error.message = message;
	return error;
}

/** The error for an answer that is none of success. */
export function answerError(
	outcome: Answer,
	situation: Situation,
	said = errorMessage(outcome.body, outcome.status),
): NodeApiError {
	const { status } = outcome;
	// Redacted before it is cut, so that no half of a secret is left.
	const own = said && redact(said, situation.secrets).slice(0, MAX_MESSAGE);
	const message = own ?? 'The API gave no reason';
	return build(
		situation,
		`${message.replace(/\.$/, '')} (HTTP ${status}). ${nextStep(outcome, message, situation)}`,
		outcome.attempts > 1 ? `${outcome.attempts} attempts` : '',
		String(status),
	);
}

/** Failures before the request itself was sent: the host was not found, or not the right one. */
const NEVER_SENT =
	/^(NOT_SENT|ENOTFOUND|ECONNREFUSED|EAI_AGAIN)$|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/;

/** Whether a request that failed so cannot have been applied. */
export function wasNeverSent(failure: string): boolean {
	return NEVER_SENT.test(failure);
}

/** What happened to a request that got no answer. */
function failureText(outcome: Failed, { secrets }: Situation): string {
	const { failure, timedOut, detail } = outcome;
	if (failure === NOT_SENT) {
		return `This request was not sent: the API asks to wait ${detail}, longer than Retry Time allows.`;
	}
	if (timedOut) return `The API did not answer in time${tries(outcome)}.`;
	if (failure === 'ENOTFOUND') return 'The host of the Base URL is not known.';
	if (failure === 'ECONNREFUSED') {
		return `The host of the Base URL refused the connection${tries(outcome)}.`;
	}
	if (wasNeverSent(failure) && failure !== 'EAI_AGAIN') {
		return 'The certificate of the Base URL could not be verified.';
	}
	// No code of the network: something in n8n failed, such as an expression in the credential.
	if (failure === 'UNKNOWN' && detail !== '') {
		return `The request failed: ${redact(detail, secrets).slice(0, MAX_MESSAGE)}.`;
	}
	return `The connection to the API broke${tries(outcome)}.`;
}

type Failed = Extract<Outcome, { timedOut: boolean }>;

/** The error for a request that got no answer. */
export function failureError(outcome: Failed, situation: Situation): NodeApiError {
	const inDoubt = wasNeverSent(outcome.failure) ? '' : mayBeApplied(situation);
	if (outcome.failure === NOT_SENT) {
		return build(
			situation,
			`${failureText(outcome, situation)} Run it later, or allow a longer Retry Time in Options.`,
			'',
		);
	}
	const step = inDoubt || ' Check the Base URL of the credential and the network.';
	return build(situation, failureText(outcome, situation) + step, `Code ${outcome.failure}`);
}

/** The error for a successful status whose body is not what the reference documents. */
export function unreadableError(
	outcome: Outcome & { status: number },
	situation: Situation,
	fault: string,
) {
	return build(
		situation,
		`The API answered with ${fault}.${mayBeApplied(situation) || ' Check that the Base URL of the credential is the address of the Platform API.'}`,
		`HTTP status ${outcome.status}`,
		String(outcome.status),
	);
}

/** The error for a value that is not sent. */
function fieldError({ field, fault }: FieldFault, situation: Situation): NodeOperationError {
	const { node, itemIndex, secrets } = situation;
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	const error = new NodeOperationError(
		withoutParameters(node),
		redact(`"${field}" ${fault}${item}. Nothing was sent: correct the value.`, secrets),
		{ itemIndex, description: what(situation) },
	);
	return error;
}

/** Any other error, such as one of an expression, with the item that it belongs to. */
function otherError(error: unknown, { node, itemIndex, secrets }: Situation) {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	const { message, description } = error as Error & { description?: string };
	return new NodeOperationError(
		withoutParameters(node),
		redact(message || 'Unknown error', secrets),
		{ itemIndex, description: description ?? undefined },
	);
}

/** What failed before or beside a request, as an error of the node. */
export function nodeError(error: unknown, situation: Situation): NodeApiError | NodeOperationError {
	return error instanceof FieldFault ? fieldError(error, situation) : otherError(error, situation);
}
