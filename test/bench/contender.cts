// A process that does work in one way, as often as its parent asks, and says how long each took.
import 'reflect-metadata';
import { loadNodes, ways, type WayName } from './ways.cts';
import type { Service, Work } from './work.cts';

export interface Order {
	way: WayName;
	parallel?: number;
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

const KILOBYTES = 1e3;

async function carryOut({ way, parallel, work, service }: Order): Promise<Measurement> {
	global.gc?.();
	const idle = process.memoryUsage.rss() / KILOBYTES;
	const used = process.memoryUsage().heapUsed;
	const start = performance.now();
	const results = await ways[way](work, service, parallel);
	const milliseconds = performance.now() - start;
	const peak = (process.resourceUsage().maxRSS * 1024) / KILOBYTES;
	global.gc?.();
	const keptMegabytes = (process.memoryUsage().heapUsed - used) / KILOBYTES ** 2;
	const idleMegabytes = idle / KILOBYTES;
	const peakMegabytes = peak / KILOBYTES - idleMegabytes;
	return {
		milliseconds,
		results,
		idleMegabytes,
		peakMegabytes,
		keptMegabytes,
	};
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
loadNodes();
process.send?.('ready');
