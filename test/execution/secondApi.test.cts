// The engine is handed its API: the same engine with a second, tiny one, whose lists have offsets and whose errors
// have a shape of their own.
import type { INodeType } from 'n8n-workflow';
import type { EndpointRow } from '../../nodes/engine/base/definition.ts';
import { defineApi, engine, executeOf, resource } from '../../dist/nodes/engine/index.js';
import { text } from '../../dist/nodes/engine/form/fields.js';
import { useLeapingTime } from './host/leapingTime.cts';
import { ownNode, runNode, told } from './host/host.cts';
import { Service, type Received } from './host/service.cts';

useLeapingTime();
const service = Service.forFile();

const endpoints = {
	'GET /me': { kind: 'one', scope: null },
	'GET /tasks': { kind: 'list', scope: 'read', paging: 'paged', key: 'number' },
	'GET /tasks/{taskId}': { kind: 'one', scope: 'read' },
	'POST /tasks': { kind: 'one', scope: 'write' },
	'DELETE /tasks/{taskId}': { kind: 'one', scope: 'write', gone: (id) => ({ number: id }) },
} satisfies Record<string, EndpointRow>;

const tiny = defineApi({
	name: 'Tiny API',
	package: { name: 'n8n-nodes-tiny', version: '1.0.0' },
	credential: { type: 'tinyApi', test: 'tinyApiTest', basePath: '/v1' },
	ping: { route: 'GET /me', isPong: ({ name }) => name !== undefined },
	endpoints,
	errors: {
		messageIn: (_endpoint, status, body) => {
			const { fault } = (body ?? {}) as { fault?: { text?: string } };
			return fault ? (fault.text ?? '') : status >= 400 ? '' : undefined;
		},
		isUnclear: () => false,
		stepFor: (message) =>
			message === 'Too many tasks' ? 'Delete a task before you create another.' : undefined,
	},
	lists: {
		items: 'data',
		maxSize: 3,
		usualSizes: [3],
		query: (page, size = 3) => ({ offset: (page - 1) * size, limit: size }),
		announced: ({ total }) => ({ count: typeof total === 'number' ? total : undefined }),
		total: 'total',
		envelope: [],
	},
	names: { simplified: (row) => row, ofId: (parameter) => parameter },
	dryRun: {
		samples: {},
		makers: {},
		lookups: {},
		keys: [],
		parts: [],
		derived: () => ({}),
		isOfOther: () => false,
	},
	nodes: { roles: { tiny: 'Tasks' }, usual: [], outputs: {} },
});

const { actionNode, create, get, getMany, remove, methods } = engine<
	keyof typeof endpoints,
	'tiny'
>()(tiny, { tasks: { route: 'GET /tasks', label: ({ title }) => [title] } }, {});

const taskId = text({ name: 'taskId', required: true });

const task = resource('task', {
	description: 'Tasks',
	ids: [taskId],
	operations: [
		getMany({ action: 'Get many tasks', description: 'Return tasks', route: 'GET /tasks' }),
		get({ action: 'Get a task', description: 'Return a task', route: 'GET /tasks/{taskId}' }),
		remove({ action: 'Delete a task', description: 'Delete', route: 'DELETE /tasks/{taskId}' }),
		create({
			action: 'Create a task',
			description: 'Create a task',
			route: 'POST /tasks',
			fields: [text({ name: 'title', required: true })],
		}),
	],
});

const { properties, inputs, credentials } = actionNode('tiny', [task], 'Tasks.');
const node: INodeType = ownNode('tiny', executeOf([task]), inputs, properties);
Object.assign(node, { methods });
Object.assign(node.description, { credentials });

const runTiny = async (operation: string, parameters: object = {}) =>
	await runNode({
		node: 'tiny',
		types: { tiny: node },
		credential: service.credential,
		settings: { type: 'tiny', credentials: { tinyApi: { id: '1', name: 'Tiny' } } },
		parameters: { resource: 'task', operation, ...parameters },
	});

const all = Array.from({ length: 7 }, (_none, index) => ({ number: index + 1 }));

test('a list with offsets is read to its end', async () => {
	service.behave(({ path }) => {
		const { searchParams } = new URL(path, service.baseUrl);
		const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name)));
		return { body: { data: all.slice(offset, offset + limit), total: all.length } };
	});
	const { items, hints } = await runTiny('getAll', { returnAll: true });
	expect(items.map(({ json }) => json)).toEqual(all);
	expect(hints).toEqual([]);
	expect(service.received.map(({ path }) => path)).toEqual([
		'/v1/tasks?offset=0&limit=3',
		'/v1/tasks?offset=3&limit=3',
		'/v1/tasks?offset=6&limit=3',
	]);
});

test.each([
	['get', { taskId: '1' }, 3],
	['delete', { taskId: '1' }, 3],
	['create', { title: 'Write' }, 1],
])('after a failure %s is sent again only if that does nothing twice', async (name, form, sent) => {
	service.behave(() =>
		service.received.length < 3 ? { status: 503 } : { body: { number: 1, name: 'x' } },
	);
	const { error, items } = await runTiny(name, form);
	expect(service.received).toHaveLength(sent);
	if (sent > 1) expect(items).toHaveLength(1);
	else expect(told(error)).toContain('It may have gone through');
});

test('an error in the shape of the API has its message and the next step', async () => {
	service.behave((_request: Received) => ({
		status: 422,
		body: { fault: { code: 7, text: 'Too many tasks' } },
	}));
	const { error } = await runTiny('create', { title: 'Write' });
	expect(told(error)).toContain('Too many tasks (HTTP 422). Delete a task before you create');
	expect(service.sent('POST')).toHaveLength(1);
});

test('an ID that leads to another endpoint is refused', async () => {
	const { error } = await runTiny('get', { taskId: '../me' });
	expect(told(error)).toContain('"Task ID" must be an ID (got "../me")');
});
