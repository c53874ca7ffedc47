// A response or a failure -> what the user reads: the API's own words, what happened, the next step.
import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { adviceOn, USED_UP } from './advice';
import { idsIn, isPage, isPerhapsAbsent, isUsedUp, NO_REASON, WRONG_KEY } from './answer';
import { endpointOf, isAbsentMessage, onlyReads, type Route } from '../../endpoints';
import { causeOf, type Cause } from './cause';
import { NOT_SENT, verdictOf } from './verdict';
import { FieldFault, short } from '../../operation';
import type { Answer, Failed, Outcome, Sought } from './outcome';
import { redact } from './redact';

/** A field of the form that was sent. */
export interface SentField {
	field: string;
	/** Its name on the wire, by which the API may call it. */
	name: string;
	value?: string;
}

/** What an error should tell about the request that failed. */
export interface Situation {
	node: INode;
	itemIndex?: number;
	/** How many items there are: a message names its item only if there are others. */
	items?: number;
	/** What is done, such as `Get a customer`. */
	action?: string;
	/**
	 * Whether the reader sees the description below the message, as in n8n's editor: then the next step
	 * stands there. An agent and the log of a publication show the message alone.
	 */
	described?: boolean;
	/** The endpoint that was to be asked, where nothing was sent. */
	route?: Route;
	/** What was looked for, for a 404, unless the request says it itself. */
	sought?: Sought[];
	/** The fields of the form that were sent; of secret and long ones without their values. */
	sent?: () => SentField[];
	/** The node hands something to another one, where n8n shows its errors then. */
	functionality?: 'configuration-node';
	/** An earlier run of Retry On Fail sent the same and got no response. */
	lostAnswer?: boolean;
	/** Hooks, polls and pickers have no Retry Time to set. */
	isFixed?: boolean;
	/** Texts that no error may show: the key, and write-only values of the request. */
	secrets: string[];
}

/** The next step of who cannot say how long to try. */
const LATER = 'Try again later.';

const RAISE = 'Send fewer requests in parallel, or raise Retry Time in Settings.';

/** How many of the fields that were sent an error names. */
const MAX_FIELDS = 8;

/** Longest text of an API message that an error repeats. */
const MAX_MESSAGE = 500;

// The parameters of a node can hold secrets that the user typed, and errors are stored with their node.
const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });

/** A message of the API as users may read it. Redacted first: cutting first could leave half of a secret. */
export const shown = (message: string, secrets: string[]) =>
	redact(message, secrets).slice(0, MAX_MESSAGE);

const seconds = (milliseconds: number) => `${Math.round(milliseconds / 1000)} s`;

/** 'after 3 attempts', where there was more than one. */
const afterAttempts = ({ attempts }: Outcome) =>
	attempts > 1 ? ` after ${attempts} attempts` : '';

const DOUBT = "It may have gone through, so it wasn't retried. Check before you run it again.";

/** What the user can do after a request that broke. */
function nextTry({ inDoubt, route }: Outcome, otherwise: string): string {
	const { again } = endpointOf(route);
	return again && !inDoubt ? `Running it again is safe: ${again}.` : otherwise;
}

/** What to check where nothing was found. */
function whatToCheck({ sought: ids = [], route }: Answer): string {
	const [{ field, value } = { field: '', value: '' }, ...others] = ids;
	if (others.length > 0) {
		const all = ids.map((each) => `${each.field} "${short(each.value)}"`).join(' and ');
		return `Nothing found for ${all}. Check these fields.`;
	}
	if (field !== '') return `Nothing found for "${short(value)}". Check the ${field} field.`;
	return onlyReads(route)
		? 'Check Base URL in the credential.'
		: 'Check the values of the fields, and Base URL in the credential.';
}

/** What to check where the API gives a reason that no reference shows. */
function whatWasSent({ message = '', body }: Answer, { sent, secrets }: Situation): string {
	const fields = sent?.() ?? [];
	const isOfApi = !isPage(body) && message !== '';
	if (!isOfApi || (sent && fields.length === 0)) return 'Check Base URL in the credential.';
	const words = message.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
	const named = fields.filter(({ field, name }) =>
		[field, name].some((each) => words.includes(each.toLowerCase())),
	);
	const names = named.map(({ field }) => field).join(' and ');
	if (names !== '') return `Check the ${names} ${named.length > 1 ? 'fields' : 'field'}.`;
	const all = fields
		.slice(0, MAX_FIELDS)
		.map(({ field, value }) =>
			value === undefined ? field : `${field} "${redact(value, secrets)}"`,
		);
	if (fields.length > MAX_FIELDS) all.push('…');
	return `Check the values of the fields.${all.length > 0 ? ` Sent: ${all.join(', ')}.` : ''}`;
}

/** What the user can do. The statuses of most errors aren't shown, so documented messages come first. */
function nextStep(answer: Answer, situation: Situation): string {
	const { status, message = '', attempts, waited, route, missing } = answer;
	const { scope, checksCode, taken } = endpointOf(route);
	if (isAbsentMessage(message)) return whatToCheck(answer);
	const advice = adviceOn(message);
	if (advice !== undefined) return advice;
	if (checksCode && /invalid credentials/i.test(message)) {
		return 'Check the code or the passkey, and the user it belongs to.';
	}
	if ((status === 401 || status === 403) && isPage(answer.body)) {
		return 'Check Base URL and the API key in the credential.';
	}
	if (status === 401) {
		if (message === '' || message === WRONG_KEY) {
			return "Check the API key in the credential. It's wrong or was revoked.";
		}
		return `Check the API key in the credential${scope ? `, its scope ${scope}` : ''} and the values of the fields.`;
	}
	// Many services hide what is there from a key that may not see it.
	if (status === 403 && isPerhapsAbsent(answer)) return whatToCheck(answer);
	if (status === 403) {
		return scope
			? `The key may lack the scope ${scope}, which this operation needs.`
			: 'The key may lack a scope that this operation needs.';
	}
	if (taken !== undefined && (status === 409 || /already exists/i.test(message))) return taken;
	if (status === 409) {
		return /exist/i.test(message)
			? 'A record with these values already exists. Update it, or use other values.'
			: "The record's current state doesn't allow this.";
	}
	if (isUsedUp(answer)) return USED_UP;
	if (verdictOf(answer).retry === 'any') {
		return `The API's rate limit was reached. Tried ${attempts} times and waited ${seconds(waited)}. ${situation.isFixed ? LATER : RAISE}`;
	}
	if (status >= 300 && status < 400) {
		return "The API redirected. Set Base URL to the final URL; the key isn't sent to redirects.";
	}
	if (verdictOf(answer).retry === 'repeatable') {
		const failed = `The API failed${afterAttempts(answer)}.`;
		return `${failed} ${nextTry(answer, answer.inDoubt ? '' : LATER)}`.trim();
	}
	if (missing) return whatToCheck(answer);
	return answer.inDoubt ? '' : whatWasSent(answer, situation);
}

/** `item 3`, where there are several. */
function itemOf({ itemIndex, items = 1 }: Situation): string | undefined {
	return itemIndex === undefined || items === 1 ? undefined : `item ${itemIndex}`;
}

/** What was asked, without a value of the user, on a line of its own. */
function operationOf(situation: Situation, route = situation.route): string {
	const { action } = situation;
	const operation = [action, route && (action ? `(${route})` : route)].filter(Boolean).join(' ');
	return operation && `Operation: ${[operation, itemOf(situation)].filter(Boolean).join(', ')}`;
}

/** Lines of a description, which n8n's editor shows as HTML. */
const lines = (...texts: string[]) => texts.filter((text) => text !== '').join('<br>\n');

/** What an error says: what happened, what to do, and what else there is to know. */
interface Texts {
	what: string;
	step: string;
	detail: string;
	httpCode?: string;
	/** For n8n, which decides from it when it polls again. */
	failure?: Cause;
}

function build(situation: Situation, { route, inDoubt }: Outcome, texts: Texts): NodeApiError {
	const { node, itemIndex, described = false, functionality } = situation;
	const { what, step, detail, httpCode, failure } = texts;
	// That a request may have been applied stands in the message, which is shown everywhere.
	const isApart = described && !inDoubt;
	const next = [step, inDoubt ? DOUBT : ''].filter(Boolean).join(' ');
	const message = isApart ? what : `${what.replace(/\.?$/, '.')} ${next}`.trim();
	const response: JsonObject = { message, ...(httpCode ? { httpCode } : {}) };
	const error = new NodeApiError(withoutParameters(node), response, {
		message,
		description: lines(
			[isApart ? next : '', detail].filter(Boolean).join(' '),
			operationOf(situation, route),
		),
		itemIndex,
		functionality,
		...(httpCode ? { httpCode } : {}),
	});
	// For some codes n8n replaces the message with its own. An agent only reads the message, so keep ours.
	error.message = message;
	return failure ? Object.assign(error, { failure }) : error;
}

/** What an error adds where an earlier attempt of a write may have been applied. */
function earlierAttempt({ route, failures, status }: Answer, { lostAnswer }: Situation): string {
	if (onlyReads(route) || (failures === 0 && !lostAnswer) || status >= 500) return '';
	return 'An earlier attempt got no response. It may have gone through.';
}

/**
 * The error for a response that reports a failure.
 * @param step what to do next
 */
export function answerError(
	answer: Answer,
	situation: Situation,
	step = nextStep(answer, situation),
): NodeApiError {
	const { status, message, attempts } = answer;
	const own = (message && shown(message, situation.secrets)) ?? NO_REASON;
	// Of something that was done in part, the user needs the ID.
	const ids = status < 300 ? idsIn(answer.body) : [];
	const codes = [`HTTP ${status}`, ...ids.map(([name, id]) => `${name} ${short(id)}`)].join(', ');
	return build(situation, answer, {
		what: redact(`${own.replace(/\.$/, '')} (${codes})`, situation.secrets),
		step: [step, earlierAttempt(answer, situation)].filter(Boolean).join(' '),
		detail: attempts > 1 ? `${attempts} attempts.` : '',
		httpCode: String(status),
		failure: causeOf(answer),
	});
}

/** Whether a request with this failure never reached the API. */
const wasNeverSent = (outcome: Failed) => !verdictOf(outcome).inDoubt;

/** Not a network error: something in n8n failed, such as an expression in the credential. */
const isFailureOfN8n = ({ failure, detail }: Failed) => failure === 'UNKNOWN' && detail !== '';

/** What happened to a request that got no response. */
function failureText(outcome: Failed, situation: Situation): string {
	const { failure, timedOut, detail } = outcome;
	const { secrets } = situation;
	if (failure === NOT_SENT) {
		const than = situation.isFixed ? '' : ', longer than Retry Time';
		return `The API asks for a pause of ${detail}${than}, so this request wasn't sent.`;
	}
	if (timedOut) return `The API didn't respond in time${afterAttempts(outcome)}.`;
	if (failure === 'ENOTFOUND') return "The host in Base URL wasn't found.";
	if (failure === 'ECONNREFUSED') {
		return `The host in Base URL refused the connection${afterAttempts(outcome)}.`;
	}
	if (wasNeverSent(outcome) && failure !== 'EAI_AGAIN') {
		return "The certificate of the host in Base URL couldn't be verified.";
	}
	if (isFailureOfN8n(outcome)) {
		return `The request failed: ${shown(detail, secrets)}.`;
	}
	return `The connection to the API broke${afterAttempts(outcome)}.`;
}

/** The next step after a request that got no response. */
function whatNext(outcome: Failed, situation: Situation): string {
	if (outcome.failure === NOT_SENT) {
		return situation.isFixed ? LATER : 'Run it later, or raise Retry Time in Settings.';
	}
	if (outcome.inDoubt) return '';
	const otherwise = 'Check Base URL in the credential, and the network.';
	return nextTry(outcome, isFailureOfN8n(outcome) ? '' : otherwise);
}

/** The error for a request that got no response. */
export function failureError(outcome: Failed, situation: Situation): NodeApiError {
	return build(situation, outcome, {
		what: failureText(outcome, situation),
		step: whatNext(outcome, situation),
		detail: outcome.failure === NOT_SENT ? '' : `Code ${outcome.failure}.`,
		failure: causeOf(outcome),
	});
}

/** The error for a successful status with a body that the reference doesn't document. */
export function unreadableError(outcome: Answer, situation: Situation, found: string) {
	return build(situation, outcome, {
		what: `The API returned ${found}.`,
		step: outcome.inDoubt
			? ''
			: 'Check that Base URL in the credential points to the Platform API.',
		detail: `HTTP status ${outcome.status}.`,
		httpCode: String(outcome.status),
	});
}

/** The error for a value that is not sent. */
function fieldError({ field, fault }: FieldFault, situation: Situation): NodeOperationError {
	const { node, itemIndex, secrets, route, functionality } = situation;
	const item = itemOf(situation);
	// Good to know of a write; a read that was not sent is nothing to worry about.
	const sent = route === undefined || onlyReads(route) ? '' : ' Nothing was sent.';
	const failure: Cause = { cause: 'configuration-invalid' };
	const error = new NodeOperationError(
		withoutParameters(node),
		redact(`"${field}" ${fault}${item ? ` [${item}]` : ''}.${sent}`, secrets),
		{ itemIndex, functionality, description: operationOf(situation) },
	);
	return Object.assign(error, { failure });
}

/** Any other error, such as one of an expression, with the item that it belongs to. */
function otherError(error: unknown, { node, itemIndex, secrets, functionality }: Situation) {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	const { message, description } = error as Error & { description?: string };
	return new NodeOperationError(
		withoutParameters(node),
		redact(message || 'Unknown error', secrets),
		{ itemIndex, functionality, description: description ?? undefined },
	);
}

/** Turns anything that failed outside a request into an error of the node. */
export function nodeError(error: unknown, situation: Situation): NodeApiError | NodeOperationError {
	return error instanceof FieldFault ? fieldError(error, situation) : otherError(error, situation);
}

/** Turns what goes wrong in some work into errors of a node. */
export async function withNodeErrors<T>(node: INode, work: Promise<T>): Promise<T> {
	return await work.catch((error: unknown) => {
		throw nodeError(error, { node, secrets: [] });
	});
}
