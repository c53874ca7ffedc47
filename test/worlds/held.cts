// Choices in which the nodes do not hold yet: `npm test` leaves them out, `npm run test:worlds` does
// not. A choice goes from the list when its checks are green.
import { usualWorld, worldOf, type DimensionName, type World } from '../contract/worlds.cts';

export const notYetHeld: Partial<{ [Name in DimensionName]: ReadonlyArray<World[Name]> }> = {
	// An envelope that announces the rows of the whole list although the search finds none of them.
	searchCount: ['all rows'],
	// With a page behind the end that is refused under 200, or without any second page.
	usageEnvelope: ['nothing'],
};

/** A world with the usual choice wherever its own is not held yet. */
export function heldPart(world: World): World {
	const names = Object.keys(notYetHeld) as DimensionName[];
	const changed = names.filter((name) =>
		notYetHeld[name]?.some((choice: string) => choice === world[name]),
	);
	return worldOf({
		...world,
		...Object.fromEntries(changed.map((name) => [name, usualWorld[name]])),
	});
}
