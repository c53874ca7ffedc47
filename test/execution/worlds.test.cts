// The nodes in a handful of worlds: whatever a service decides where the reference leaves it open, the
// result is right, or an error or a hint says what is not known. `npm run check worlds` looks at many more,
// and CI at new ones.
import { unusual, usualWorld, worldFrom } from '../contract/worlds.cts';
import { choicesOf } from '../worlds/bench.cts';
import { checkWorld } from '../worlds/world.cts';
import { useLeapingTime } from './host/leapingTime.cts';

useLeapingTime();

test('in the usual world', async () => {
	expect(await checkWorld(usualWorld)).toEqual([]);
}, 180_000);

test.each([11, 12])(
	'in the world of seed %i',
	async (seed) => {
		const world = worldFrom(seed);
		expect(unusual(world).length).toBeGreaterThan(5);
		const failures = await checkWorld(world);
		// To see more of it: npm run check worlds -- --seeds 1 --from <seed>
		expect({ seed, failures, world: failures.length > 0 ? choicesOf(world) : '' }).toEqual({
			seed,
			failures: [],
			world: '',
		});
	},
	180_000,
);
