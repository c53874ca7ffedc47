// The check of a service, run against the world as if it were a real one: it finds its choices.
import { dimensionNames, dimensions, type Dimension, type World } from '../contract/worlds.cts';
import { checkService } from '../service/check.cts';
import { type Check, expectThat } from './bench.cts';

/** Readable dimensions that this world hides: their choices look the same from outside. */
function hidden(world: World): string[] {
	const { defaultSize, largestSize, usageEnvelope, usagePaging, order } = world;
	const hides: Record<string, boolean> = {
		// The usual page is the largest one.
		oversize: Number(defaultSize) >= Number(largestSize),
		// Nothing tells a part from all, or only short histories are among the first.
		usagePaging:
			order !== 'as kept' ||
			(usageEnvelope === 'nothing' && ['not at all', 'all rows at once'].includes(usagePaging)),
		ids: order !== 'as kept',
	};
	return Object.keys(hides).filter((name) => hides[name]);
}

export const serviceChecks: Check[] = [
	{
		name: 'check of the service',
		async run({ sandbox, world }) {
			const { rows, learned } = await checkService(sandbox.baseUrl, sandbox.key);
			const wrong = learned.filter(({ name, found }) => world[name] !== found);
			expectThat(
				wrong.length === 0,
				wrong.map(({ name, found }) => `${name}: "${found}", not "${world[name]}"`).join('; '),
			);
			const found = new Set<string>(learned.map(({ name }) => name));
			const missed = dimensionNames.filter((name) => {
				const { readable = false }: Dimension = dimensions[name];
				return readable && !found.has(name) && !hidden(world).includes(name);
			});
			expectThat(missed.length === 0, `not found: ${missed.join(', ')}`);
			const others = rows.filter(({ verdict }) => verdict === 'differs' || verdict === 'no access');
			expectThat(
				others.length === 0,
				others.map(({ endpoint, verdict, how }) => `${endpoint} ${verdict}: ${how}`).join('; '),
			);
		},
	},
];
