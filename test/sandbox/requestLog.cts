/** What the sandbox received: one entry for each API request, without the key. */
import type { IncomingHttpHeaders } from 'node:http';

export interface LoggedRequest {
	method: string;
	/** The path as it was sent, below the version, with its query. */
	path: string;
	/** The matched endpoint, 'METHOD /path/{parameter}.json'; null for an unknown address. */
	endpoint: string | null;
	/** As received; `authorization` holds the key's label. */
	headers: IncomingHttpHeaders;
	body: unknown;
	/** What the handler answered, before the world gave it its form; see `keepAnswers`. */
	plain?: unknown;
	/** The message of an error answer. */
	refusal?: string;
	/** Null until answered, and for ever if the request was never answered. */
	status: number | null;
	/** Milliseconds since the epoch; `endedAt` is null while in flight. */
	startedAt: number;
	endedAt: number | null;
	/** Requests in flight when this one came, itself included. */
	inFlight: number;
}

export class RequestLog {
	readonly entries: LoggedRequest[] = [];

	private inFlight = 0;

	/** Keeps the newest `limit` entries; 0 keeps none. */
	constructor(private readonly limit: number) {}

	open(request: Pick<LoggedRequest, 'method' | 'path' | 'endpoint' | 'headers'>): LoggedRequest {
		this.inFlight += 1;
		const entry: LoggedRequest = {
			...request,
			body: undefined,
			status: null,
			startedAt: Date.now(),
			endedAt: null,
			inFlight: this.inFlight,
		};
		if (this.limit > 0) this.entries.push(entry);
		if (this.entries.length > this.limit) this.entries.shift();
		return entry;
	}

	/** Marks a request as over; the first call counts. */
	end(entry: LoggedRequest, status: number | null): void {
		if (entry.endedAt !== null) return;
		this.inFlight -= 1;
		entry.status = status;
		entry.endedAt = Date.now();
	}

	clear(): void {
		this.entries.length = 0;
	}
}
