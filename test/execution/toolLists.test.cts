// Lists as tools of an agent: the model learns how many rows it does not see.
import { credentialOf, run, sandboxFor } from './host/run.cts';
import { useTools } from './host/tool.cts';

const sandbox = sandboxFor({ customers: 12 });

const list = (limit: number) => ({ resource: 'customer', operation: 'getAll', limit });

/** The items that the model gets. */
async function listed(limit: number): Promise<object[]> {
	let items: object[] = [];
	await useTools(
		[{ node: 'platformCustomers', parameters: list(limit) }],
		credentialOf(sandbox()),
		async ({ Tool_1: tool }) => {
			items = JSON.parse(await tool.invoke({})) as object[];
		},
	);
	return items;
}

test('a list that goes on says how many are not shown', async () => {
	const items = await listed(5);
	expect(items).toHaveLength(6);
	expect(items.at(-1)).toEqual({ note: expect.stringMatching(/^7 more are not shown\./) });
});

test('one that is whole says nothing', async () => {
	expect(await listed(12)).toHaveLength(12);
});

test('a node of the workflow gives rows and nothing else', async () => {
	const { items } = await run(sandbox(), 'platformCustomers', 'customer.getAll', { limit: 5 });
	expect(items).toHaveLength(5);
});
