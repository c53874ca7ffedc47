/**
 * Remote control for tests in another process: routes below /sandbox, outside the API's version,
 * guarded by the sandbox's own key.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChargeOutcome } from './areas/charges.cts';
import type { Delivery } from './deliveries.cts';
import type { FaultRule } from './faults.cts';
import { refuse } from './refusals.cts';
import type { LoggedRequest } from './requestLog.cts';
import type { Server } from './server.cts';

/** What can be controlled; a part of `Sandbox`. */
export interface Controls {
	requests: readonly LoggedRequest[];
	clearRequests(): void;
	problems: readonly string[];
	deliveries: readonly Delivery[];
	faults: { add(rule: FaultRule): unknown; clear(): void };
	rateLimit(perSecond: number | null): void;
	settle(chargeId: string, outcome: ChargeOutcome): unknown;
}

export function addControlRoutes(app: Server, key: string, controls: Controls): void {
	const guard = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void) => {
		done(request.headers.authorization === `Bearer ${key}` ? undefined : refuse('invalidToken'));
	};
	const route = (method: string, url: string, run: (request: FastifyRequest) => unknown) =>
		app.route({
			method,
			url: `/sandbox${url}`,
			onRequest: guard,
			handler: (request) => run(request) ?? {},
		});

	route('GET', '/requests', () => controls.requests);
	route('DELETE', '/requests', () => controls.clearRequests());
	route('GET', '/problems', () => controls.problems);
	route('GET', '/deliveries', () => controls.deliveries);
	route('POST', '/faults', ({ body }) => {
		controls.faults.add(body as FaultRule);
	});
	route('DELETE', '/faults', () => controls.faults.clear());
	route('POST', '/rate-limit', ({ body }) =>
		controls.rateLimit((body as { perSecond: number | null }).perSecond),
	);
	route('POST', '/charges/:id/settle', ({ params, body }) =>
		controls.settle((params as { id: string }).id, (body as { outcome: ChargeOutcome }).outcome),
	);
}
