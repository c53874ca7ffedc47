// What the benchmark needs of a sandbox in another process: routes below /sandbox, outside the API's version,
// guarded by the sandbox's own key.
import type { FastifyRequest } from 'fastify';
import { refuse } from './refusals.cts';
import type { LoggedRequest } from './requestLog.cts';
import type { buildServer } from './server.cts';

interface Controls {
	requests: readonly LoggedRequest[];
	rateLimit(perSecond: number | null): void;
}

export function addControlRoutes(
	app: ReturnType<typeof buildServer>,
	key: string,
	controls: Controls,
): void {
	const guard = ({ headers }: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
		done(headers.authorization === `Bearer ${key}` ? undefined : refuse('invalidToken'));
	};
	app.get('/sandbox/requests', { onRequest: guard }, () => controls.requests);
	app.post('/sandbox/rate-limit', { onRequest: guard }, ({ body }) => {
		controls.rateLimit((body as { perSecond: number | null }).perSecond);
		return {};
	});
}
