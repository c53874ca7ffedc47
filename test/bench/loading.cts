// How long n8n takes to load the nodes at its start, beside its own nodes for services of a like kind.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import manifest from '../../package.json';
import { runProgram } from '../n8n/program.cts';
import { goal, median, table, times, whole, type Section } from './report.cts';

interface Loaded {
	milliseconds: number;
	kilobytes: number;
}

/** Files of nodes by what has them. Only when it's measured: n8n may not be installed before. */
function packagesOf(): Record<string, string[]> {
	const fromN8n = createRequire(join(__dirname, '../n8n/package.json'));
	const ofN8n = (folder: string, ...names: string[]) =>
		names.map((name) => fromN8n.resolve(`n8n-nodes-base/dist/nodes/${folder}/${name}.node.js`));
	return {
		'This package': manifest.n8n.nodes.map((file) => join(__dirname, '../..', file)),
		HubSpot: ofN8n('Hubspot', 'Hubspot', 'HubspotTrigger'),
		Stripe: ofN8n('Stripe', 'Stripe', 'StripeTrigger'),
	};
}

/** The times as a table, as text. */
export const loading: Section = async ({ node, quick }) => {
	const packages = packagesOf();
	const load = join(__dirname, 'load.cjs');
	const measured = new Map<string, Loaded[]>();
	for (let round = 0; round < (quick ? 3 : 15); round++) {
		for (const [name, files] of Object.entries(packages)) {
			const loaded = JSON.parse(await runProgram(node, [load, ...files])) as Loaded;
			measured.set(name, [...(measured.get(name) ?? []), loaded]);
		}
	}
	const timeOf = (name: string) =>
		median((measured.get(name) ?? []).map((each) => each.milliseconds));
	const ofOne = (name: string) => timeOf(name) / packages[name].length;
	const rows = Object.entries(packages).map(([name, { length }]) => [
		name,
		String(length),
		`${whole(timeOf(name))} ms`,
		`${ofOne(name).toFixed(1)} ms`,
		`${whole((measured.get(name) ?? [])[0].kilobytes / length)} KB`,
	]);
	const share = ofOne('This package') / ofOne('HubSpot');
	return [
		'## Loading the nodes',
		'Once, when n8n starts. The editor loads the descriptions of all nodes together, before the first form opens.',
		table(['', 'Nodes', 'Time', 'A node', 'Description of a node'], rows),
		goal(`a node is loaded as fast as one of HubSpot's (${times(share)})`, share, { atMost: 1 }),
	].join('\n\n');
};
