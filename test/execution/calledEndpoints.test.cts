// docs/operations.md says which endpoints an operation may call, and with which scopes: each operation, with each of its
// forms, calls no other.
import { onlyReads, partsOf, routes, routesOf, table } from '../table/operations.cts';
import { forms } from '../table/forms.cts';
import { fixedValues } from '../table/samples.cts';

import { run } from './host/run.cts';
import { Service } from './host/service.cts';

const service = Service.forFile();

const patterns = routes.map((route) => {
	const { method, path } = partsOf(route);
	return { route, method, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) };
});

/** The most exact route of a request. */
function routeOf(method: string, path: string): string {
	const found = patterns.filter((each) => each.method === method && each.pattern.test(path));
	const exact = found.find(({ route }) => route.endsWith(path)) ?? found[0];
	return exact?.route ?? `${method} ${path}`;
}

const known = {
	id: '1',
	tags: [],
	selected_ids: [],
	elements: {},
	data: {},
	address: {},
	status: 'x',
};

const entries = table.filter(({ operation }) => operation.value !== 'checkAccess');

test.each(entries.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const { node, resource, operation } = entry;
	service.behave(() => ({ body: known }));
	const isRead = onlyReads(operation.endpoint.route);
	for (const form of forms(operation, fixedValues(entry))) {
		const limits = operation.measure ? { safetyLimits: { maxTotal: 1_000_000 } } : {};
		const whole = isRead ? {} : { returnWholeRecord: true };
		const name = `${resource.value}.${operation.value}`;
		const parameters = { ...form, ...limits, ...whole, waitUntilIndexed: false } as never;
		await run(service, node, name, parameters, { items: [{ id: '1' }] });
	}
	const called = service.received.map(({ method, path }) => routeOf(method, path.split('?')[0]));
	const told = new Set<string>(routesOf(operation));
	expect(called.length).toBeGreaterThan(0);
	expect(called.filter((route) => !told.has(route))).toEqual([]);
});
