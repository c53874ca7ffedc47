// Turns the outcome of a request into a response or an error, and keeps track of what was written.
import type { IDataObject, NodeApiError } from 'n8n-workflow';

import type { ApiRequest } from '../../base/apiRequest';
import { getAt, isRecord } from '../../base/data';
import { isRepeatable, onlyReads, type Shape } from '../../base/definition';
import { lastId } from '../../base/path';
import { dryRecord, simulatedResponse } from './dryRun';
import type { DryRun } from './dryRunSetting';
import type { ErrorContext } from './errorContext';
import { requestError } from './errors';
import type { ApiResponse, Outcome } from './outcome';
import { idsIn } from './response';
import type { Transport } from './transport';
import type { Writes } from './writes';

const fileNameOf = (header: unknown) =>
	/filename="?([^";/\\]+)"?/i.exec(String(header))?.[1].trim() || undefined;

/** The body for a write without one (204, or a lost response). */
function defaultBody(request: ApiRequest): IDataObject {
	const { endpoint } = request;
	return endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(lastId(request)) : {};
}

const PERHAPS_GONE =
	'An earlier attempt failed, and the last one found nothing. If the ID is wrong, there was nothing to delete.';

export interface Parts {
	transport: Transport;
	context: ErrorContext;
	dryRun: DryRun | undefined;
}

/** Sends the requests of one item, or of one call of a hook, poll or picker. */
export class Requests {
	protected readonly transport: Transport;

	protected readonly context: ErrorContext;

	readonly dryRun: DryRun | undefined;

	/** A warning about the result for the user. */
	warning?: string;

	/** Requests that Dry Run held back. */
	readonly held: ApiRequest[] = [];

	constructor({ transport, context, dryRun }: Parts) {
		this.transport = transport;
		this.context = context;
		this.dryRun = dryRun;
	}

	get secrets(): string[] {
		return this.context.secrets;
	}

	get writes(): Writes {
		return this.transport.writes;
	}

	/** Sends a request and returns its object, unwrapped if the shape says so. */
	async object(request: ApiRequest, shape: Shape = request.endpoint): Promise<unknown> {
		const response = await this.success(request);
		const { body } = response;
		const { open = false, unwrap, name } = shape.kind === 'one' ? shape : {};
		if (open) return this.anyBody(response);
		const { hasId = false } = request.endpoint;
		if (!isRecord(body)) throw this.unreadable(response);
		const key = unwrap ?? name;
		const inner = key && body[key];
		const object = isRecord(inner) ? inner : body;
		// A service may put the record below its name.
		const ids = idsIn(object).filter(([name]) => name === 'id');
		if (hasId && ids.length === 0) throw this.unreadable(response);
		return object;
	}

	/** Any shape is passed on, except HTML and incomplete JSON, and any text about a write. */
	private anyBody(response: ApiResponse): unknown {
		const { body, endpoint } = response;
		const isText = typeof body === 'string' && body !== '';
		const isWrong = isText && (!isRepeatable(endpoint) || /^\s*[<{[]/.test(body));
		if (isWrong) throw this.unreadable(response);
		return body === undefined || body === null || body === '' ? {} : body;
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
		if (!onlyReads(request.endpoint)) this.writes.last = request;
		const outcome = simulated ?? (await this.transport.send(request, signal));
		if (outcome.failure !== undefined) throw this.errorOf(outcome);
		// Only a write may respond without a body.
		const hasNoBody = outcome.status === 204 && !onlyReads(request.endpoint);
		return hasNoBody ? { ...outcome, body: defaultBody(request) } : outcome;
	}

	/** Returns the response of a success, else throws. */
	protected accepted(response: ApiResponse, step?: string): ApiResponse {
		if (response.says !== 'success') throw this.errorOf(response, step);
		this.writes.accepted(response);
		return response;
	}

	protected unreadable(response: ApiResponse): NodeApiError {
		response.inDoubt ||= !isRepeatable(response.endpoint);
		return this.errorOf(response);
	}

	private async success(request: ApiRequest): Promise<ApiResponse> {
		const response = await this.ask(request);
		const isDeletion = request.endpoint.method === 'DELETE';
		const isAbsent = response.says === 'absent';
		if (isDeletion && isAbsent && (response.failures > 0 || this.context.lostResponse)) {
			this.warning = PERHAPS_GONE;
			return { ...response, status: 200, body: { ...defaultBody(request), warning: PERHAPS_GONE } };
		}
		return this.accepted(response);
	}

	private errorOf(outcome: Outcome, step?: string): NodeApiError {
		this.writes.failed(outcome);
		return requestError(outcome, this.context, step);
	}
}
