// An answer or a failure -> what the user reads: the API's own words, what happened, the next step.
import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { isUsedUp, NO_REASON } from './answer';
import { endpointOf, isRepeatable, type Route } from '../endpoints';
import { NOT_SENT, ruleOf } from './meaning';
import { FieldFault } from '../operation';
import type { Answer, Failed, Outcome } from './outcome';

/** What an error should tell about the request that failed. */
export interface Situation {
	node: INode;
	itemIndex?: number;
	/** What is done, such as `Get a customer`. */
	action?: string;
	/** The endpoint that was to be asked, where nothing was sent. */
	route?: Route;
	/** The ids in the path, such as `Customer "7"`, for 'which id' after a 404. */
	ids?: string[];
	/** Texts that no error may show: the key, and write-only values of the request. */
	secrets: string[];
}

/** Longest text of an API message that an error repeats. */
const MAX_MESSAGE = 500;

// The parameters of a node can hold secrets that the user typed, and errors are stored with their node.
const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

function redact(text: string, secrets: string[]): string {
	return secrets
		.filter((secret) => secret.length > 3)
		.reduce((shown, secret) => shown.split(secret).join('***'), text);
}

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

/** 'after 3 attempts', where there was more than one. */
const afterAttempts = ({ attempts }: Outcome) =>
	attempts > 1 ? ` after ${attempts} attempts` : '';

const DOUBT = " It may have gone through, so it wasn't retried. Check before you run it again.";

/** What an error adds about a request in doubt; nothing about any other. */
const doubt = ({ inDoubt }: Pick<Outcome, 'inDoubt'>) => (inDoubt ? DOUBT : '');

/** Whether a message says that a record is not there, rather than a scope or a key. */
const isAboutRecord = (message: string) =>
	/not found|does(n't| not) exist/i.test(message) && !/scope|key|token|permission/i.test(message);

const checkIds = (ids: string[]) =>
	ids.length > 0
		? `Check the ${ids.join(' and the ')}.`
		: 'Check the id, and the Base URL of the credential.';

function nextStep(answer: Answer, { ids = [] }: Situation): string {
	const { status, message = '', attempts, waited, route, missing } = answer;
	const { scope, absent, checksCode } = endpointOf(route);
	// The statuses of most errors are not shown, so the documented messages come first.
	if (message === absent) return checkIds(ids);
	if (checksCode && /invalid credentials/i.test(message)) {
		return 'Check the code or the passkey, and the user that it belongs to.';
	}
	if (status === 401 && (scope === null || /invalid token/i.test(message))) {
		return 'Check the API key of the credential: it is wrong or was revoked.';
	}
	if (status === 401) {
		return `Check the API key of the credential: it may be wrong or revoked, or lack the scope ${scope}.`;
	}
	// Many services hide what is there from a key that may not see it.
	if (status === 403 && isAboutRecord(message)) return checkIds(ids);
	if (status === 403) {
		return scope
			? `The key may lack the scope ${scope}, which this operation needs.`
			: 'The key may lack a scope that this operation needs.';
	}
	if (status === 409) {
		return /exist/i.test(message)
			? 'Something with these values exists already: update it, or send other values.'
			: "The record's current state doesn't allow this.";
	}
	if (isUsedUp(answer)) {
		return "A budget or quota is used up, so it wasn't sent again. Raise it, or wait until it renews.";
	}
	if (ruleOf(answer).again === 'any') {
		return `The API limits the rate. It was asked ${attempts} times and ${seconds(waited)} were spent waiting: send fewer requests in parallel, or allow a longer Retry Time in Options.`;
	}
	if (status >= 300 && status < 400) {
		return `The API redirected. Set Base URL to the final URL; the key isn't sent to redirects.${doubt(answer)}`;
	}
	if (ruleOf(answer).again === 'repeatable') {
		return `The API failed${afterAttempts(answer)}.${doubt(answer) || ' Try again later.'}`;
	}
	return missing ? checkIds(ids) : 'Check the values of the fields.';
}

/** `Get a customer, GET /customers/{customerId}.json, item 0`: what was asked, without a value of the user. */
function what({ action, itemIndex }: Situation, route: Route | undefined): string {
	const item = itemIndex === undefined ? undefined : `item ${itemIndex}`;
	return [action, route, item].filter((part) => part !== undefined).join(', ');
}

function build(
	situation: Situation,
	route: Route,
	message: string,
	detail: string,
	httpCode?: string,
): NodeApiError {
	const { node, itemIndex } = situation;
	const response: JsonObject = { message, ...(httpCode ? { httpCode } : {}) };
	const error = new NodeApiError(withoutParameters(node), response, {
		message,
		description: [what(situation, route), detail].filter(Boolean).join('. '),
		itemIndex,
		...(httpCode ? { httpCode } : {}),
	});
	// n8n swaps in texts of its own for some codes; an agent reads the message only, so ours stays.
	error.message = message;
	return error;
}

/** The error for an answer that is none of success. */
export function answerError(answer: Answer, situation: Situation): NodeApiError {
	const { status, route, message } = answer;
	// Redacted before it is cut, so that no half of a secret is left.
	const own = message && redact(message, situation.secrets).slice(0, MAX_MESSAGE);
	return build(
		situation,
		route,
		`${(own ?? NO_REASON).replace(/\.$/, '')} (HTTP ${status}). ${nextStep(answer, situation)}`,
		answer.attempts > 1 ? `${answer.attempts} attempts` : '',
		String(status),
	);
}

/** Whether a request that failed so never reached the API. */
const wasNeverSent = (outcome: Failed) => !ruleOf(outcome).doubt;

/** What happened to a request that got no answer. */
function failureText(outcome: Failed, { secrets }: Situation): string {
	const { failure, timedOut, detail } = outcome;
	if (failure === NOT_SENT) {
		return `The API asks to wait ${detail}, longer than Retry Time, so this request wasn't sent.`;
	}
	if (timedOut) return `The API did not answer in time${afterAttempts(outcome)}.`;
	if (failure === 'ENOTFOUND') return 'The host of the Base URL is not known.';
	if (failure === 'ECONNREFUSED') {
		return `The host of the Base URL refused the connection${afterAttempts(outcome)}.`;
	}
	if (wasNeverSent(outcome) && failure !== 'EAI_AGAIN') {
		return 'The certificate of the Base URL could not be verified.';
	}
	// No code of the network: something in n8n failed, such as an expression in the credential.
	if (failure === 'UNKNOWN' && detail !== '') {
		return `The request failed: ${redact(detail, secrets).slice(0, MAX_MESSAGE)}.`;
	}
	return `The connection to the API broke${afterAttempts(outcome)}.`;
}

/** The error for a request that got no answer. */
export function failureError(outcome: Failed, situation: Situation): NodeApiError {
	const { route, failure } = outcome;
	const text = failureText(outcome, situation);
	if (failure === NOT_SENT) {
		return build(situation, route, `${text} Run it later, or raise Retry Time in Options.`, '');
	}
	const step = doubt(outcome) || ' Check the Base URL of the credential and the network.';
	return build(situation, route, text + step, `Code ${failure}`);
}

/** The error for a successful status whose body is not what the reference documents. */
export function unreadableError(outcome: Answer, situation: Situation, found: string) {
	const inDoubt = !isRepeatable(outcome.route);
	return build(
		situation,
		outcome.route,
		`The API answered with ${found}.${doubt({ inDoubt }) || ' Check that the Base URL of the credential is the address of the Platform API.'}`,
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
		{ itemIndex, description: what(situation, situation.route) },
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

/** Turns what goes wrong in some work into errors of a node. */
export async function withNodeErrors<T>(node: INode, work: Promise<T>): Promise<T> {
	return await work.catch((error: unknown) => {
		throw nodeError(error, { node, secrets: [] });
	});
}
