/** Workflows, their runs and the traces of these. Reference: 'Workflows'. */
import { randomUUID } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { refuse } from '../refusals.cts';
import { dateAfter } from '../seeds/people.cts';

interface Workflow {
	id: string;
	name: string;
	active: boolean;
	description: string;
	/** The names of its tasks, in order. */
	tasks: string[];
}

interface Trace {
	id: string;
	workflow_id: string;
	uuid: string;
	/** ISO 8601. */
	run_date: string;
	status: string;
	response: {
		input: Record<string, unknown>;
		result: { workflow_status: string };
		stages: { node_name: string; status: string; duration: number }[];
	};
}

export interface WorkflowsState {
	workflows: Collection<Workflow>;
	/** Newest first, by the id of their workflow. */
	traces: Map<string, Collection<Trace>>;
}

/** Name, tasks and number of seeded traces. A workflow whose name contains 'failing' fails. */
const seeds: [string, string[], number][] = [
	['Welcome new customer', ['Load customer', 'Send welcome mail', 'Create task'], 120],
	['Dunning reminder', ['Load charge', 'Check balance', 'Send reminder'], 60],
	['Failing address check', ['Load customer', 'Check address'], 4],
	['Monthly usage report', ['Collect usage', 'Build report', 'Send report'], 12],
	['Partner onboarding', ['Load partner', 'Send contract'], 3],
	['Renewal notice', ['Load subscription', 'Send notice'], 0],
	['Churn survey', ['Load customer', 'Send survey'], 7],
	['Invoice archive', ['Collect invoices', 'Store files'], 31],
];

function tracesOf({ state, params }: Call): { workflow: Workflow; traces: Collection<Trace> } {
	const workflow = state.workflows.workflows.get(params.workflowId);
	if (!workflow) throw refuse('unknownWorkflow');
	const traces = state.workflows.traces.get(workflow.id) ?? new Collection<Trace>();
	state.workflows.traces.set(workflow.id, traces);
	return { workflow, traces };
}

const fails = ({ name }: Workflow): boolean => /failing/i.test(name);

/** The trace of a run; the last task of a failing workflow fails. */
function traceOf(
	workflow: Workflow,
	head: Pick<Trace, 'id' | 'uuid' | 'run_date'>,
	input: Record<string, unknown>,
): Trace {
	const failed = fails(workflow);
	return {
		...head,
		workflow_id: workflow.id,
		status: failed ? 'failed' : 'executed',
		response: {
			input,
			result: { workflow_status: failed ? 'failed' : 'completed' },
			stages: workflow.tasks.map((node_name, index) => ({
				node_name,
				status: failed && index === workflow.tasks.length - 1 ? 'FAILED' : 'SUCCESS',
				duration: 0.02 * (index + 1),
			})),
		},
	};
}

export const workflows: Area<WorkflowsState> = {
	seed({ today }) {
		const book = new Collection<Workflow>();
		const traces = new Map<string, Collection<Trace>>();
		for (const [index, [name, tasks, runs]] of seeds.entries()) {
			const workflow = book.add({
				id: `wfl-${index + 1}`,
				name,
				active: index !== 6,
				description: `${tasks.join(', then ').toLowerCase()}.`,
				tasks,
			});
			const own = new Collection<Trace>();
			for (let run = runs; run >= 1; run -= 1) {
				const day = dateAfter(today, -1 - Math.floor((runs - run) / 2));
				const head = {
					id: `trc-${index + 1}-${run}`,
					uuid: randomUUID(),
					run_date: `${day}T${run % 2 ? '06' : '18'}:00:00+00:00`,
				};
				own.add(traceOf(workflow, head, { run }));
			}
			traces.set(workflow.id, own);
		}
		return { workflows: book, traces };
	},

	endpoints: {
		'GET /workflow.json': (call) =>
			envelope(call, call.state.workflows.workflows.rows, {
				element: ({ id, name, active, description, tasks }) => ({
					id,
					name,
					active,
					tasks_count: tasks.length,
					description,
				}),
			}),

		'POST /workflow/{workflowId}.json': (call) => {
			const { workflow, traces } = tracesOf(call);
			const { data } = call.body as { data: Record<string, unknown> };
			const head = {
				id: call.newId('trc'),
				uuid: randomUUID(),
				run_date: call.now().toISOString(),
			};
			const { response } = traces.add(traceOf(workflow, head, data), 'front');
			return {
				success: !fails(workflow),
				execution_id: head.uuid,
				stages: response.stages.map(({ node_name, status }) => ({
					node: node_name,
					status: status === 'SUCCESS' ? 'completed' : 'failed',
					output: status === 'SUCCESS' ? data : {},
				})),
			};
		},

		'GET /workflow/{workflowId}/traces.json': (call) =>
			envelope(call, tracesOf(call).traces.rows, {
				element: ({ id, workflow_id, uuid, run_date, status }) => ({
					id,
					workflow_id,
					uuid,
					run_date,
					status,
				}),
			}),

		'GET /workflow/{workflowId}/traces/{traceId}.json': (call) => {
			const trace = tracesOf(call).traces.get(call.params.traceId);
			if (!trace) throw refuse('unknownTrace');
			return trace;
		},
	},
};
