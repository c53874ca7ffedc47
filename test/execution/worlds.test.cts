// The nodes in a world of many unusual choices: whatever a service decides where the reference leaves it open, the
// result is right, or an error or a hint says what is not known. `npm run check worlds` looks at many more,
// and CI at new ones.
import { unusual, worldFrom } from '../contract/worlds.cts';
import { choicesOf } from '../worlds/bench.cts';
import { checkWorld } from '../worlds/world.cts';
import { useLeapingTime } from './host/leapingTime.cts';

useLeapingTime();

test('in the world of seed 12', async () => {
	const world = worldFrom(12);
	expect(unusual(world).length).toBeGreaterThan(5);
	const failures = await checkWorld(world);
	// To see more of it: npm run check worlds -- --seeds 1 --from 12
	expect([failures, failures.length > 0 ? choicesOf(world) : '']).toEqual([[], '']);
}, 180_000);
