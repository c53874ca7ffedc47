// One call of a tool: the arguments of a model in, an answer for it out.
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { runOperation } from '../shared/execute';
import { nearestFirst } from '../shared/nearest';
import { FieldFault, isRecord, recordOf } from '../shared/operation';
import type { Offer } from './catalog';
import { Guard, Held, type Context, type Policy } from './policy';
import { signatureOf, type Signature } from './schema';

const signatures = new Map<string, Signature>();

/** The arguments of a tool. They follow from the table, so they're made once. */
export function signatureFor({ name, operation }: Offer): Signature {
	const known = signatures.get(name) ?? signatureOf(operation);
	signatures.set(name, known);
	return known;
}

/** The context of one call: n8n's own, with a form that the model has filled in. */
function contextOf(context: Context, values: Record<string, unknown>): IExecuteFunctions {
	const parameter = (name: string, _item: number, fallback?: unknown) =>
		Object.hasOwn(values, name) ? values[name] : name === 'requests' ? requests : fallback;
	const requests: unknown = context.getNodeParameter('requests', 0, {});
	const item: INodeExecutionData = { json: {} };
	return Object.create(context, {
		getNodeParameter: { value: parameter },
		getInputData: { value: () => [item] },
		continueOnFail: { value: () => false },
	}) as IExecuteFunctions;
}

/** What names a record, so that a model finds again what it did. */
function resultOf(rows: IDataObject[]): string {
	const record = rows[0] ?? {};
	const inner = Object.values(record).find((each) => isRecord(each) && each.id !== undefined);
	const id = record.id ?? recordOf(inner).id ?? record.execution_id ?? record.email;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

/** An answer: rows, or the text of what went wrong. */
export type Answer = { rows: IDataObject[] } | { error: string };

async function send(
	context: Context,
	offer: Offer,
	args: Record<string, unknown>,
	policy: Policy,
): Promise<IDataObject[]> {
	const { operation, valuesOf, rowsOf } = signatureFor(offer);
	const values = valuesOf(args, policy.maxRows);
	const guard = new Guard(context, policy, offer, values);
	const limits = offer.changes ? guard : undefined;
	const [items] = await runOperation(contextOf(context, values), operation, limits);
	const rows = rowsOf(
		items.map(({ json }) => json),
		args,
	);
	guard.settle(
		resultOf(rows),
		rows.some(({ dryRun }) => dryRun !== undefined),
	);
	return rows;
}

/** Makes a call. An error becomes the answer: it says what the model can do next. */
export async function answerTo(
	context: Context,
	offered: Offer[],
	{ tool, args }: { tool: unknown; args: Record<string, unknown> },
	policy: Policy,
): Promise<Answer> {
	const offer = offered.find(({ name }) => name === tool);
	if (!offer) {
		const names = offered.map(({ name }) => name);
		const nearest = nearestFirst(String(tool), names).slice(0, 20).join(', ');
		return { error: `There is no tool "${String(tool).slice(0, 60)}". There are: ${nearest}.` };
	}
	try {
		return { rows: await send(context, offer, args, policy) };
	} catch (error) {
		if (error instanceof FieldFault) return { error: `"${error.field}" ${error.fault}.` };
		if (error instanceof Held) return { error: error.message };
		return { error: (error as Error).message };
	}
}
