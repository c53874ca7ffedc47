// A process that does work with the package, as often as its parent asks, and says how long each took. n8nModules.cts was
// preloaded into it.
import 'reflect-metadata';
import { runNode } from '../execution/host/host.cts';
import { packageNodes } from '../execution/host/package.cts';
import { platformCustomersForm } from './forms.cts';
import type { Service, Work } from './work.cts';

export interface Order {
	work: Work;
	service: Service;
}

export interface Measurement {
	milliseconds: number;
	results: number;
	/** Resident memory before the work, in MB. */
	idleMegabytes: number;
	/** Highest resident memory during the process's life so far, less that before the work, in MB. */
	peakMegabytes: number;
	/** What of the heap is still in use after the work, more than before it, in MB. */
	keptMegabytes: number;
}

/** Runs the node; the number of items that come of it. */
async function run(
	{ work: { kind }, service }: Order,
	items: Array<Record<string, string>>,
	more: object = {},
): Promise<number> {
	const parameters = { ...platformCustomersForm(kind), ...more };
	const result = await runNode({
		...{ node: 'platformCustomers', credential: { ...service } },
		...{ parameters, items },
	});
	if (result.error) throw result.error;
	if (result.hints.length > 0) throw new Error(result.hints.join('; '));
	return result.items.length;
}

/** Does the work; the number of rows or records. */
async function done(order: Order): Promise<number> {
	const { work } = order;
	if (work.kind === 'keep') {
		const { companies, all } = work;
		const items = companies.map((company, index) => ({ externalId: `crm-${index + 1}`, company }));
		return await run(order, items, { options: { sendUnchanged: all } });
	}
	let results = 0;
	if (work.kind === 'list') {
		const { from, to, size } = work.part;
		for (let skip = from; skip < to; skip += size) {
			// Each slice is an execution of its own, and n8n rests between them.
			global.gc?.();
			results += await run(order, [{}], { returnAll: false, limit: size, skip });
		}
		return results;
	}
	const items = work.ids.map((id) => ({ id }));
	const end = performance.now() + 1000 * (work.seconds ?? 0);
	do results += await run(order, items);
	while (performance.now() < end);
	return results;
}

const KILOBYTES = 1e3;

async function carryOut(order: Order): Promise<Measurement> {
	global.gc?.();
	const idleMegabytes = process.memoryUsage.rss() / KILOBYTES ** 2;
	const used = process.memoryUsage().heapUsed;
	const start = performance.now();
	const results = await done(order);
	const milliseconds = performance.now() - start;
	const peakMegabytes = (process.resourceUsage().maxRSS * 1024) / KILOBYTES ** 2 - idleMegabytes;
	global.gc?.();
	const keptMegabytes = (process.memoryUsage().heapUsed - used) / KILOBYTES ** 2;
	return { milliseconds, results, idleMegabytes, peakMegabytes, keptMegabytes };
}

process.on('message', (order: Order) => {
	carryOut(order).then(
		(measurement) => process.send?.(measurement),
		(error: Error) => process.send?.({ failure: error.message }),
	);
});
// The parent is gone: nobody is left to work for.
process.on('disconnect', () => process.exit());
// In n8n the nodes are loaded long before they run.
packageNodes();
process.send?.('ready');
