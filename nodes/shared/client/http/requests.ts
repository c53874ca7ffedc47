// One request for one purpose: its outcome becomes a response or an error.
import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { getAt } from '../../dotted';
import { endpointOf, isRepeatable, onlyReads, partsOf, type Shape } from '../../endpoints';
import { FieldFault, isRecord, type ApiRequest } from '../../operation';
import { lastId } from '../../path';
import { received } from './response';
import { dryRunResponse, isHeld, refuseDryId } from './dryRun';
import type { ErrorContext } from './errorContext';
import { responseError, failureError, unreadableError } from './errors';
import type { ApiResponse, Outcome } from './outcome';
import type { Transport } from './transport';

function fileNameOf(header: unknown): string | undefined {
	return typeof header === 'string'
		? /filename="?([^";/\\]+)"?/i.exec(header)?.[1].trim() || undefined
		: undefined;
}

/** The body for a write without one (204, or a lost response): for a deletion, its usual response. */
function defaultBody(request: ApiRequest): IDataObject {
	const { route } = request;
	if (partsOf(route).method !== 'DELETE') return {};
	const endpoint = endpointOf(route);
	const id = lastId(request);
	return endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(id) : { id, deleted: true };
}

/** Errors of requests that were, or may have been, applied and must not be sent again. */
const notToBeRepeated = new WeakSet<Error>();

/** Errors of requests that lost a response, and may be sent again all the same. */
const withoutResponse = new WeakSet<Error>();

/** A deletion whose first answer was lost, and that then finds nothing. */
const PERHAPS_GONE =
	'An earlier attempt got no response, and the last one found nothing. If the ID is wrong, there was nothing to delete.';

/** Sends the requests of one item of an execution, or of one purpose of a hook, poll or picker. */
export abstract class Requests {
	/** What the user should know of a result that may not be what it looks like. */
	warning?: string;

	/** Requests that weren't sent, because the run is dry. */
	readonly held: ApiRequest[] = [];

	/** The write that was sent last. */
	written?: ApiRequest;

	/** Whether a write went through already: if a later request fails, the item must not start over. */
	private applied = false;

	/** Whether a write may have gone through, although it failed. */
	private inDoubt = false;

	/** @param dryRun what becomes of a write while Dry Run is on */
	constructor(
		protected readonly transport: Transport,
		protected readonly context: ErrorContext,
		private readonly dryRun?: 'simulated' | 'refused',
	) {}

	/** Whether the item of this error must not start over: a write was, or may have been, applied. */
	static mayBeApplied(error: Error): boolean {
		return notToBeRepeated.has(error);
	}

	/** Whether a request of this error may have been applied: one after it may find what it has done. */
	static lostResponse(error: Error): boolean {
		return withoutResponse.has(error);
	}

	/** Texts that nothing may show. */
	get secrets(): string[] {
		return this.context.secrets;
	}

	/** What came of the writes that must not be repeated. */
	get writes(): 'applied' | 'notApplied' | 'inDoubt' {
		if (this.inDoubt || this.transport.isWriting) return 'inDoubt';
		return this.applied ? 'applied' : 'notApplied';
	}

	/** Whether a write is on its way, or went through, or may have. */
	get mayHaveWritten(): boolean {
		return this.transport.mayHaveWritten;
	}

	/** One object, as it is or unwrapped. */
	async object(request: ApiRequest, shape: Shape = endpointOf(request.route)): Promise<unknown> {
		const response = await this.success(request);
		const { body } = response;
		const { open = false, unwrap, name } = shape.kind === 'one' ? shape : {};
		if (open) {
			// Any shape is passed on, but HTML or incomplete JSON is not a response of the API.
			if (typeof body === 'string' && /^\s*[<{[]/.test(body)) throw this.unreadable(response);
			return body === undefined || body === null || body === '' ? {} : body;
		}
		if (!isRecord(body)) throw this.unreadable(response);
		const below = unwrap ?? name;
		const inner = below === undefined ? body : body[below];
		return isRecord(inner) ? inner : body;
	}

	/** A file, with the name that the API gives it, if any. */
	async file(
		request: ApiRequest,
		shape: Extract<Shape, { kind: 'binary' }>,
	): Promise<{ data: Buffer; fileName?: string }> {
		const response = await this.success(request);
		if (shape.base64 === undefined) {
			const data = Buffer.from(response.body as Uint8Array);
			const type = String(response.headers['content-type'] ?? '');
			if (data.length === 0) throw this.unreadable({ ...response, body: '' });
			if (/html|json/i.test(type)) throw this.unreadable({ ...response, body: data.toString() });
			return { data, fileName: fileNameOf(response.headers['content-disposition']) };
		}
		const text = getAt(response.body, shape.base64);
		if (typeof text !== 'string' || text === '') throw this.unreadable(response);
		return { data: Buffer.from(text, 'base64') };
	}

	async send(request: ApiRequest): Promise<unknown> {
		return this.accept(await this.ask(request));
	}

	accept(response: ApiResponse, step?: string): unknown {
		const { body } = this.accepted(response, step);
		if (!isRecord(body) && !Array.isArray(body)) throw this.unreadable(response);
		return body;
	}

	/** Sends a request; its response may be an error. */
	async ask(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
		const unsent = this.dryRunOutcome(request);
		if (!unsent && !onlyReads(request.route)) this.written = request;
		const outcome = unsent ?? (await this.transport.send(request, signal));
		if (outcome.failure !== undefined) {
			throw this.mark(failureError(outcome, this.context), outcome);
		}
		// A write may respond with 204 and no body; a read may not.
		const hasNoBody = outcome.status === 204 && !onlyReads(request.route);
		return hasNoBody ? { ...outcome, body: defaultBody(request) } : outcome;
	}

	/** The response if it is a success; throws if it is an error. */
	protected accepted(response: ApiResponse, step?: string): ApiResponse {
		if (response.says !== 'success')
			throw this.mark(responseError(response, this.context, step), response);
		this.applied ||= !isRepeatable(response.route);
		return response;
	}

	protected unreadable(response: ApiResponse): NodeApiError {
		response.inDoubt ||= !isRepeatable(response.route);
		return this.mark(unreadableError(response, this.context), response);
	}

	private async success(request: ApiRequest): Promise<ApiResponse> {
		const response = await this.ask(request);
		const isDeletion = partsOf(request.route).method === 'DELETE';
		const isAbsent = response.says === 'absent';
		if (isDeletion && isAbsent && (response.failures > 0 || this.context.lostResponse)) {
			this.warning = PERHAPS_GONE;
			return { ...response, status: 200, body: { ...defaultBody(request), warning: PERHAPS_GONE } };
		}
		const step = response.says === 'success' ? undefined : await this.stepFor(response, request);
		return this.accepted(response, step);
	}

	/** What to do next after a refusal, where there is more to say than the response does. */
	protected abstract stepFor(
		response: ApiResponse,
		request: ApiRequest,
	): Promise<string | undefined>;

	/**
	 * The outcome of a request that a dry run must not send; undefined for what is to be sent.
	 * @throws FieldFault where there is no honest one
	 */
	private dryRunOutcome(request: ApiRequest): ApiResponse | undefined {
		const { dryRun, context } = this;
		const { route } = request;
		if (dryRun === undefined) refuseDryId(request, context.node);
		if (dryRun === undefined || !isHeld(request)) return undefined;
		if (endpointOf(route).checksCode) {
			throw new FieldFault('Dry Run', 'is on in the credential, so no code or passkey is checked');
		}
		if (dryRun === 'refused') {
			const reason = `is on in the credential, so this isn't sent: ${route}. Turn it off to publish`;
			throw new FieldFault('Dry Run', reason);
		}
		this.held.push(request);
		const unsent = { route, attempts: 0, failures: 0, waited: 0, inDoubt: false };
		return { ...received(route, 200, {}, dryRunResponse(request)), ...unsent };
	}

	private mark(error: NodeApiError, { inDoubt, failures, route }: Outcome): NodeApiError {
		this.inDoubt ||= inDoubt;
		if (inDoubt || this.applied) notToBeRepeated.add(error);
		else if (failures > 0 && !onlyReads(route)) withoutResponse.add(error);
		return error;
	}
}
