// Platform Workflows: runs and their traces.
import { areaOf, byId } from '../host/run.cts';

const { sandbox, run } = areaOf('platformWorkflows');

const named = (text: string) => {
	const { rows } = sandbox().state.workflows.workflows;
	return (rows.find(({ name }) => name.includes(text)) as { id: string }).id;
};

test('data can be an object from an expression, and is an empty object by default', async () => {
	const workflowId = byId(named('Welcome'));
	await run('workflow.run', { workflowId, data: '={{ $json }}' }, { items: [{ n: 1 }] });
	await run('workflow.run', { workflowId });
	expect(sandbox().requests.map(({ body }) => body)).toEqual([{ data: { n: 1 } }, { data: {} }]);
});

test('items run one after the other, and none twice', async () => {
	sandbox().faults.add({ kind: 'delay', ms: 20 });
	sandbox().faults.add({ kind: 'reset-after', method: 'POST', nth: 2 });
	const { items, errors } = await run(
		'workflow.run',
		{ workflowId: byId(named('Welcome')), data: '={{ $json }}' },
		{
			items: [{ n: 1 }, { n: 2 }, { n: 3 }],
			settings: { onError: 'continueErrorOutput' },
		},
	);
	expect(sandbox().requests.map(({ body, inFlight }) => [body, inFlight])).toEqual(
		[1, 2, 3].map((n) => [{ data: { n } }, 1]),
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
	expect(errors.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
});
