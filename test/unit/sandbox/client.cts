/** A sandbox for one test file, and a client that sends what no node would. */
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.cts';

interface Reply<Body> {
	status: number;
	text: string;
	/** The parsed text. */
	body: Body;
}

/** Sends JSON; `Body` is what the caller takes the answer to be. */
export type Send = <Body = unknown>(
	method: 'GET' | 'POST' | 'PUT' | 'DELETE',
	path: string,
	body?: object,
	key?: string,
) => Promise<Reply<Body>>;

export async function open(
	options: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; send: Send }> {
	const sandbox = await startSandbox({ customers: 250, ...options });
	const send: Send = async <Body,>(
		method: string,
		path: string,
		body?: object,
		key = sandbox.key,
	) => {
		const answer = await fetch(`${sandbox.baseUrl}/2026-02-01${path}`, {
			method,
			headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
			body: body && JSON.stringify(body),
		});
		const text = await answer.text();
		return { status: answer.status, text, body: JSON.parse(text) as Body };
	};
	return { sandbox, send };
}
