// Turns the outcome of a request into a response or an error, and keeps track of what was written.
import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { getAt } from '../../dotted';
import { endpointOf, isRepeatable, onlyReads, partsOf, type Shape } from '../../endpoints';
import { isRecord, type ApiRequest } from '../../operation';
import { lastId } from '../../path';
import { dryRecord, simulatedResponse } from './dryRun';
import type { DryRun } from './dryRunSetting';
import type { ErrorContext } from './errorContext';
import { requestError } from './errors';
import type { ApiResponse, Outcome } from './outcome';
import type { Transport } from './transport';

const fileNameOf = (header: unknown) =>
	/filename="?([^";/\\]+)"?/i.exec(String(header))?.[1].trim() || undefined;

/** The body for a write without one (204, or a lost response). */
function defaultBody(request: ApiRequest): IDataObject {
	const endpoint = endpointOf(request.route);
	return endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(lastId(request)) : {};
}

const PERHAPS_GONE =
	'An earlier attempt failed, and the last one found nothing. If the ID is wrong, there was nothing to delete.';

/** Sends the requests of one item, or of one call of a hook, poll or picker. */
export abstract class Requests {
	/** Errors after which the item must not start over, because a write was applied or may have been. */
	static readonly mayBeApplied = new WeakSet<Error>();

	/** Errors of writes that may have been applied, but are safe to repeat. A retry may find their effect. */
	static readonly lostResponse = new WeakSet<Error>();

	/** A warning about the result for the user. */
	warning?: string;

	/** Requests that Dry Run held back. */
	readonly held: ApiRequest[] = [];

	/** The last write, also one that Dry Run held back. */
	written?: ApiRequest;

	/** A write that isn't safe to repeat went through. If a later request fails, the item must not start over. */
	private applied = false;

	/** A write failed, but may have gone through. */
	private inDoubt = false;

	constructor(
		protected readonly transport: Transport,
		protected readonly context: ErrorContext,
		readonly dryRun: DryRun | undefined,
	) {}

	get secrets(): string[] {
		return this.context.secrets;
	}

	/** State of the writes that must not be repeated. */
	get writes(): 'applied' | 'notApplied' | 'inDoubt' {
		if (this.inDoubt || this.transport.isWriting) return 'inDoubt';
		return this.applied ? 'applied' : 'notApplied';
	}

	/** A write is in flight, went through, or may have. */
	get mayHaveWritten(): boolean {
		return this.transport.mayHaveWritten;
	}

	/** Sends a request and returns its object, unwrapped if the shape says so. */
	async object(request: ApiRequest, shape: Shape = endpointOf(request.route)): Promise<unknown> {
		const response = await this.success(request);
		const { body } = response;
		const { open = false, unwrap, name } = shape.kind === 'one' ? shape : {};
		if (open) {
			// Any shape is passed on, except HTML and incomplete JSON.
			if (typeof body === 'string' && /^\s*[<{[]/.test(body)) throw this.unreadable(response);
			return body === undefined || body === null || body === '' ? {} : body;
		}
		if (!isRecord(body)) throw this.unreadable(response);
		const key = unwrap ?? name;
		const inner = key && body[key];
		return isRecord(inner) ? inner : body;
	}

	/** Sends a request and returns its file, with the name from the API if there is one. */
	async file(
		request: ApiRequest,
		shape: Extract<Shape, { kind: 'binary' }>,
	): Promise<{ data: Buffer; fileName?: string }> {
		const response = await this.success(request);
		if (shape.base64 === undefined) {
			const data = Buffer.from(response.body as Uint8Array);
			const type = String(response.headers['content-type'] ?? '');
			if (data.length === 0 || /html|json/i.test(type)) {
				throw this.unreadable({ ...response, body: data.toString() });
			}
			return { data, fileName: fileNameOf(response.headers['content-disposition']) };
		}
		const text = getAt(response.body, shape.base64);
		if (typeof text !== 'string' || text === '') throw this.unreadable(response);
		return { data: Buffer.from(text, 'base64') };
	}

	dryRecord(list: ApiRequest, id: string): IDataObject | undefined {
		const record = dryRecord(list, id, this.dryRun);
		if (record) this.held.push(list);
		return record;
	}

	async send(request: ApiRequest): Promise<unknown> {
		return this.accept(await this.ask(request));
	}

	accept(response: ApiResponse, step?: string): unknown {
		const { body } = this.accepted(response, step);
		if (!isRecord(body) && !Array.isArray(body)) throw this.unreadable(response);
		return body;
	}

	/** Sends a request. Its response may be an error. */
	async ask(request: ApiRequest, signal?: AbortSignal): Promise<ApiResponse> {
		const simulated = simulatedResponse(request, this.dryRun, this.secrets);
		if (simulated) this.held.push(request);
		if (!onlyReads(request.route)) this.written = request;
		const outcome = simulated ?? (await this.transport.send(request, signal));
		if (outcome.failure !== undefined) throw this.errorOf(outcome);
		// Only a write may respond without a body.
		const hasNoBody = outcome.status === 204 && !onlyReads(request.route);
		return hasNoBody ? { ...outcome, body: defaultBody(request) } : outcome;
	}

	/** Returns the response of a success, else throws. */
	protected accepted(response: ApiResponse, step?: string): ApiResponse {
		if (response.says !== 'success') throw this.errorOf(response, step);
		this.applied ||= !isRepeatable(response.route);
		return response;
	}

	protected unreadable(response: ApiResponse): NodeApiError {
		response.inDoubt ||= !isRepeatable(response.route);
		return this.errorOf(response);
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

	/** The next step after an error, if there's a better one than by its message and status. */
	protected abstract stepFor(
		response: ApiResponse,
		request: ApiRequest,
	): Promise<string | undefined>;

	private errorOf(outcome: Outcome, step?: string): NodeApiError {
		const error = requestError(outcome, this.context, step);
		const { inDoubt, failures, route } = outcome;
		this.inDoubt ||= inDoubt;
		if (inDoubt || this.applied) Requests.mayBeApplied.add(error);
		else if (failures > 0 && !onlyReads(route)) Requests.lostResponse.add(error);
		return error;
	}
}
