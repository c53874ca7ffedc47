/**
 * The HTTP side of the sandbox: routes of all areas, and the way of each request through log,
 * rate limit, faults, key, scope and contract to its handler, and of the answer back.
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { checkAnswer, checkRequest, findEndpoint } from '../contract/contract.cts';
import { Answer, type Call, type Endpoint, type PagingFault, type World } from './area.cts';
import { areas } from './areas/index.cts';
import { inflict, payloadOf, type Faults } from './faults.cts';
import type { Keys } from './keys.cts';
import type { RateLimit } from './rateLimit.cts';
import { Refusal, refuse } from './refusals.cts';
import type { LoggedRequest, RequestLog } from './requestLog.cts';
import type { Certificate } from './tls.cts';

export const versionPrefix = '/2026-02-01';

export interface Parts {
	world: World;
	keys: Keys;
	faults: Faults;
	rateLimit: RateLimit;
	log: RequestLog;
	problems: string[];
	latencyMs: number;
	/** Whether answers are held against the contract. */
	check: boolean;
	certificate?: Certificate;
	/** Aborted when the sandbox is closed. */
	closing: AbortSignal;
}

interface Route {
	method: string;
	/** The path with its parameters in braces. */
	template: string;
	scope: string | undefined;
	endpoint: Endpoint;
}

declare module 'fastify' {
	interface FastifyRequest {
		logged?: LoggedRequest;
	}
}

/** Path and query as sent, below the version. */
const pathOf = (url: string): string =>
	url.startsWith(versionPrefix) ? url.slice(versionPrefix.length) : url;

/** Repeated parameters, also as `name[]` or `name[0]`, become an array. */
function queryOf(search: string): Record<string, string | string[]> {
	const query: Record<string, string | string[]> = {};
	for (const [key, value] of new URLSearchParams(search)) {
		const name = key.replace(/\[\d*\]$/, '');
		if (name in query) query[name] = [query[name], value].flat();
		else query[name] = name === key ? value : [value];
	}
	return query;
}

/** What the endpoint answers: its checks, then its handler. */
function answerOf(
	parts: Parts,
	route: Route,
	request: FastifyRequest,
	pagingFaults: readonly PagingFault[],
): Answer {
	const [path, search = ''] = pathOf(request.raw.url ?? '').split('?');
	const { method, endpoint } = route;
	const call: Call = {
		...parts.world,
		params: request.params as Record<string, string>,
		query: queryOf(search),
		body: request.body,
		headers: request.headers,
		ip: request.ip,
		pagingFaults,
	};
	const run = (): Answer => {
		const key = parts.keys.of(request.headers.authorization);
		if (!key) throw refuse('invalidToken');
		if (route.scope && key.scopes && !key.scopes.has(route.scope)) {
			throw refuse('insufficientScope');
		}
		const found = checkRequest({ method, path, query: call.query, body: call.body });
		if (found.length > 0) {
			parts.problems.push(`Request ${method} ${route.template}: ${found.join('; ')}`);
			const invalid = typeof endpoint === 'function' ? undefined : endpoint.invalid;
			if (typeof invalid !== 'function') throw refuse(invalid ?? 'invalidRequest');
			const answer = invalid(call);
			if (answer instanceof Refusal) throw answer;
			return answer;
		}
		const result = (typeof endpoint === 'function' ? endpoint : endpoint.handle)(call);
		return result instanceof Answer ? result : new Answer(200, result);
	};
	let answer: Answer;
	try {
		answer = run();
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		answer = new Answer(error.status, { error: error.message });
	}
	if (!parts.check) return answer;
	const broken = checkAnswer({ method, path, status: answer.status, body: answer.body });
	if (broken.length === 0) return answer;
	const text = `${method} ${route.template} ${answer.status}: ${broken.join('; ')}`;
	parts.problems.push(`Answer ${text}`);
	const { status, message } = refuse('brokenContract');
	return new Answer(status, { error: `${message}: ${text}` });
}

/** Sends an answer and closes the log entry just before, so that no client can be quicker. */
function send(parts: Parts, request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
	if (request.logged) parts.log.end(request.logged, answer.status);
	void reply.code(answer.status).type(answer.contentType).send(payloadOf(answer));
}

async function serve(
	parts: Parts,
	route: Route,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	if (request.logged) request.logged.body = request.body;
	const retryAfter = parts.rateLimit.refuses(Date.now());
	if (retryAfter !== null) {
		const { status, message } = refuse('tooManyRequests');
		void reply.header('retry-after', retryAfter);
		send(parts, request, reply, new Answer(status, { error: message }));
		return reply;
	}
	const path = pathOf(request.raw.url ?? '');
	const { method, template } = route;
	const { delayMs, fault, pagingFaults, skipsHandler } = parts.faults.fateOf({
		method,
		path,
		template,
	});
	const pause = parts.latencyMs + delayMs;
	if (pause > 0) await wait(pause, undefined, { signal: parts.closing });
	const answer = skipsHandler ? undefined : answerOf(parts, route, request, pagingFaults);
	if (fault) {
		const status = inflict(fault, answer, reply);
		if (request.logged && status !== null) parts.log.end(request.logged, status);
	} else if (answer) {
		send(parts, request, reply, answer);
	}
	return reply;
}

/** Opens the log entry of an API request; it ends when answered, or when its connection does. */
function logRequest({ keys, log }: Parts, request: FastifyRequest, response: ServerResponse): void {
	const { url = '', method = '' } = request.raw;
	if (!url.startsWith(`${versionPrefix}/`)) return;
	const path = pathOf(url);
	const endpoint = findEndpoint(method, path.split('?')[0]);
	const { authorization, ...headers } = request.headers;
	const label = keys.labelOf(authorization);
	const logged = log.open({
		method,
		path,
		endpoint: endpoint ? `${method} ${endpoint.path}` : null,
		headers: label ? { ...headers, authorization: label } : headers,
	});
	request.logged = logged;
	response.once('close', () => log.end(logged, null));
}

/** The server with all routes; it does not listen yet. */
export function buildServer(parts: Parts) {
	const app = fastify({
		bodyLimit: 50_000_000,
		exposeHeadRoutes: false,
		forceCloseConnections: true,
		routerOptions: { maxParamLength: 10_000 },
		https: parts.certificate ?? null,
		frameworkErrors(error, request, reply) {
			parts.problems.push(`Request ${request.method} with a bad address: ${error.message}`);
			const { status, message } = refuse('invalidRequest', 'The address is not well encoded');
			send(parts, request, reply, new Answer(status, { error: message }));
		},
	});

	app.removeAllContentTypeParsers();
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
		try {
			done(null, body === '' ? undefined : JSON.parse(body as string));
		} catch {
			done(refuse('invalidRequest', 'The body is not JSON'));
		}
	});
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		if (body === '') done(null, undefined);
		else done(refuse('invalidRequest', 'The content type must be application/json'));
	});

	app.addHook('onRequest', (request, reply, done) => {
		logRequest(parts, request, reply.raw);
		done();
	});
	app.setErrorHandler((error, request, reply) => {
		if (parts.closing.aborted) return;
		const refusal = error instanceof Refusal ? error : undefined;
		const text = `${request.method} ${request.raw.url?.split('?')[0]}: ${String(error)}`;
		parts.problems.push(refusal ? `Request ${text}` : `Sandbox failed at ${text}`);
		const status = refusal?.status ?? 500;
		const message = refusal?.message ?? `The sandbox failed: ${String(error)}`;
		send(parts, request, reply, new Answer(status, { error: message }));
	});
	app.setNotFoundHandler((request, reply) => {
		const path = request.raw.url?.split('?')[0];
		parts.problems.push(`Request ${request.method} ${path}: no such endpoint`);
		const { status, message } = refuse('notFound');
		send(parts, request, reply, new Answer(status, { error: message }));
	});

	for (const area of Object.values(areas)) {
		for (const [name, endpoint] of Object.entries<Endpoint>(area.endpoints)) {
			const [method, template] = name.split(' ');
			const { scope } = findEndpoint(method, template) ?? {};
			const route: Route = { method, template, scope, endpoint };
			app.route({
				method,
				url: versionPrefix + template.replace(/\{(\w+)\}/g, ':$1'),
				handler: (request, reply) => serve(parts, route, request, reply),
			});
		}
	}
	return app;
}

export type Server = ReturnType<typeof buildServer>;
