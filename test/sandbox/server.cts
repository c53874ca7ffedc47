/**
 * The HTTP side of the sandbox: routes of all areas, and the way of each request through log,
 * rate limit, faults, key, scope and contract to its handler, and of the answer back.
 */
import type { ServerResponse } from 'node:http';
import { wait } from '../wait.cts';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import {
	checkAnswer,
	checkRequest,
	endpoints,
	findEndpoint,
	type Endpoint as DocumentedEndpoint,
} from '../contract/contract.cts';
import type { World } from '../contract/worlds.cts';
import { Answer, type Call, type Endpoint, type PagingFault, type Shared } from './area.cts';
import { areas } from './areas/index.cts';
import { dressed } from './dressing.cts';
import { inflict, payloadOf, type Faults } from './faults.cts';
import type { Ids } from './ids.cts';
import type { Keys } from './keys.cts';
import type { RateLimit } from './rateLimit.cts';
import { plain } from './plain.cts';
import { Refusal, refuse } from './refusals.cts';
import type { LoggedRequest, RequestLog } from './requestLog.cts';
import type { Certificate } from './tls.cts';

const versionPrefix = '/2026-02-01';

export interface Parts {
	shared: Shared;
	ids: Ids;
	keys: Keys;
	faults: Faults;
	rateLimit: RateLimit;
	log: RequestLog;
	problems: string[];
	latencyMs: number;
	/** Whether answers are held against the contract. */
	check: boolean;
	/** Whether the log keeps what handlers answered. */
	keepAnswers: boolean;
	certificate?: Certificate;
	/** Aborted when the sandbox is closed. */
	closing: AbortSignal;
}

interface Route {
	method: string;
	/** The path with its parameters in braces. */
	template: string;
	documented: DocumentedEndpoint;
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

/** Parameters; repeated ones and those as `name[]` or `name[0]` become an array, if they are read. */
function queryOf(search: string, { queryArrays }: World): Record<string, string | string[]> {
	const query: Record<string, string | string[]> = {};
	const readsBrackets = queryArrays !== 'repeated' && queryArrays !== 'the last one';
	const readsRepeated = queryArrays !== 'bracketed' && queryArrays !== 'the last one';
	for (const [key, value] of new URLSearchParams(search)) {
		const name = readsBrackets ? key.replace(/\[\d*\]$/, '') : key;
		const isBracketed = name !== key;
		if (name in query && (isBracketed || readsRepeated)) query[name] = [query[name], value].flat();
		else query[name] = isBracketed ? [value] : value;
	}
	return query;
}

/** The scope that a request needs, if any. */
function scopeOf({ operationId, scope }: DocumentedEndpoint, world: World): string | undefined {
	const isOpen = operationId === 'pauseSubscription' && world.pauseScope !== 'any key';
	return isOpen ? 'customer_subscriptions:write' : scope;
}

/** An error answer in this world. */
function refusalIn(world: World, refusal: Refusal): Answer {
	const { status, message } = refusal.in(world);
	return new Answer(status, { error: message });
}

/** What the endpoint answers: its checks, then its handler. */
function answerOf(
	parts: Parts,
	route: Route,
	request: FastifyRequest,
	pagingFaults: readonly PagingFault[],
): Answer {
	const [path, search = ''] = pathOf(request.raw.url ?? '').split('?');
	const { method, endpoint, documented } = route;
	const { ids, shared } = parts;
	const { world } = shared;
	const query = queryOf(search, world);
	const call: Call = {
		...shared,
		documented,
		params: ids.in(request.params as Record<string, string>),
		query: ids.in(query),
		body: ids.in(request.body),
		headers: request.headers,
		ip: request.ip,
		pagingFaults,
	};
	const run = (): Answer => {
		const key = parts.keys.of(request.headers.authorization);
		if (!key) throw refuse('invalidToken');
		const scope = scopeOf(documented, world);
		if (scope && key.scopes && !key.scopes.has(scope)) {
			throw refuse('insufficientScope');
		}
		const all = new URLSearchParams(search);
		const found = checkRequest({ method, path, query: all, body: call.body });
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
		const { status, body, contentType } = run();
		answer = new Answer(status, ids.out(body), contentType);
		if (request.logged && parts.keepAnswers) request.logged.plain = answer.body;
		answer = dressed(answer, documented, world, request.body);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		answer = refusalIn(world, error);
		if (request.logged) request.logged.refusal = error.in(world).message;
	}
	if (!parts.check) return answer;
	const broken = checkAnswer({ method, path, status: answer.status, body: answer.body });
	if (broken.length === 0) return answer;
	const text = `${method} ${route.template} ${answer.status}: ${broken.join('; ')}`;
	parts.problems.push(`Answer ${text}`);
	const { status, message } = refuse('brokenContract').in(world);
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
		const { world } = parts.shared;
		const date = new Date(Date.now() + (retryAfter + 1) * 1000).toUTCString();
		if (world.retryAfter !== 'none') {
			void reply.header('retry-after', world.retryAfter === 'seconds' ? retryAfter : date);
		}
		send(parts, request, reply, refusalIn(world, refuse('tooManyRequests')));
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
	if (pause > 0) await wait(pause, parts.closing);
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
			const refusal = refuse('invalidRequest', 'The address is not well encoded');
			send(parts, request, reply, refusalIn(parts.shared.world, refusal));
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
		if (parts.keys.isRetired(request.headers.authorization)) {
			void reply.code(401).send({ error: 'Invalid token' });
			return;
		}
		logRequest(parts, request, reply.raw);
		// By the clock of the process, which a test may simulate.
		void reply.header('date', new Date().toUTCString());
		done();
	});
	app.setErrorHandler((error, request, reply) => {
		if (parts.closing.aborted) return;
		const refusal = error instanceof Refusal ? error : undefined;
		const text = `${request.method} ${request.raw.url?.split('?')[0]}: ${String(error)}`;
		parts.problems.push(refusal ? `Request ${text}` : `Sandbox failed at ${text}`);
		const answer = refusal
			? refusalIn(parts.shared.world, refusal)
			: new Answer(500, { error: `The sandbox failed: ${String(error)}` });
		send(parts, request, reply, answer);
	});
	app.setNotFoundHandler((request, reply) => {
		const path = request.raw.url?.split('?')[0];
		parts.problems.push(`Request ${request.method} ${path}: no such endpoint`);
		send(parts, request, reply, refusalIn(parts.shared.world, refuse('noSuchAddress')));
	});

	const all = new Map<string, Endpoint>(
		Object.values(areas).flatMap((area) => Object.entries<Endpoint>(area.endpoints)),
	);
	const written = new Map(all);
	for (const documented of endpoints) {
		const { method, path: template } = documented;
		const endpoint = written.get(`${method} ${template}`) ?? plain(documented, all);
		written.delete(`${method} ${template}`);
		const route: Route = { method, template, documented, endpoint };
		app.route({
			method,
			url: versionPrefix + template.replace(/\{(\w+)\}/g, ':$1'),
			handler: (request, reply) => serve(parts, route, request, reply),
		});
	}
	const [unknown] = written.keys();
	if (unknown !== undefined) throw new Error(`${unknown} is no endpoint of the contract`);
	return app;
}
