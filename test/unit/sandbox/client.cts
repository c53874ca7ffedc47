/** A client that sends a path exactly as it is written, dots and escapes included. */
import { Pool } from 'undici';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.cts';

export interface Reply<Body> {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	/** The parsed body; undefined when it is not JSON. */
	body: Body;
}

/** Sends JSON, or a text as it is; `Body` is what the caller takes the answer to be. */
export type Send = <Body = unknown>(
	method: 'GET' | 'POST' | 'PUT' | 'DELETE',
	path: string,
	body?: unknown,
	key?: string,
) => Promise<Reply<Body>>;

function parsed<Body>(text: string): Body {
	try {
		return JSON.parse(text);
	} catch {
		return undefined as Body;
	}
}

/** A sandbox for one test file, with a client. `close` ends both. */
export async function open(options: SandboxOptions = {}): Promise<{
	sandbox: Sandbox;
	send: Send;
	close(): Promise<void>;
}> {
	const sandbox = await startSandbox({ customers: 250, ...options });
	const connect = { ca: sandbox.caCertificate };
	const pool = new Pool(sandbox.baseUrl, { connections: 20, connect });
	const send = async <Body,>(
		method: 'GET' | 'POST' | 'PUT' | 'DELETE',
		path: string,
		body?: unknown,
		key = sandbox.key,
	): Promise<Reply<Body>> => {
		const answer = await pool.request({
			method,
			path: `/2026-02-01${path}`,
			headers: {
				authorization: `Bearer ${key}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = await answer.body.text();
		const { statusCode: status, headers } = answer;
		return { status, headers, text, body: parsed<Body>(text) };
	};
	const close = async () => {
		await sandbox.close();
		await pool.destroy();
	};
	return { sandbox, send, close };
}
