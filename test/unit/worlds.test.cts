// Worlds as data: seeds, files, and the form that a world gives to answers.
import {
	dimensionNames,
	dimensions,
	worldFrom,
	worldOf,
	type Dimension,
} from '../contract/worlds.cts';
import { open } from './sandbox/client.cts';

const drawWorlds = () => Array.from({ length: 200 }, (_each, index) => worldFrom(index + 1));

test('a seed always makes the same world, and 200 have every choice of every dimension', () => {
	const worlds = drawWorlds();
	expect(drawWorlds()).toEqual(worlds);
	expect(new Set(worlds.map((world) => JSON.stringify(world))).size).toBe(200);
	for (const name of dimensionNames) {
		const drawn = new Set<string>(worlds.map((world) => world[name]));
		const { choices }: Dimension = dimensions[name];
		expect({ name, drawn: [...drawn].sort() }).toEqual({ name, drawn: [...choices].sort() });
	}
});

test('ids of a world lead to the records that they name', async () => {
	for (const ids of ['digits', 'UUIDs'] as const) {
		const { sandbox, send } = await open({ world: worldOf({ ids }), customers: 3 });
		const { body } = await send<{ elements: Array<{ id: string }> }>('GET', '/customers.json');
		const [{ id }] = body.elements;
		expect(id).toBe(sandbox.shown('cus-100001'));
		expect(id).toMatch(ids === 'digits' ? /^\d+$/ : /^[\da-f-]{36}$/);
		const one = await send('GET', `/customers/${id}.json`);
		expect(one).toMatchObject({ status: 200, body: { id } });
		// The sandbox takes its own ids too, so that tests may name them.
		expect(await send('GET', '/customers/cus-100001.json')).toMatchObject({ status: 200 });
		await sandbox.close();
	}
});
