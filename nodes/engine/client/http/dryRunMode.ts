// Decides whether it's a dry run, once for each execution, hook, poll, picker or sub-node.
import type { IExecuteFunctions, IExecutionContext, WorkflowExecuteMode } from 'n8n-workflow';

import type { ApiDefinition } from '../../base/definition';
import {
	MANUAL,
	type Account,
	type ApiContext,
	type DryRun,
	type DryRunSetting,
	type Made,
} from './credential';

/** Modes of an execution that a person or a test started, with the workflow as it's in the editor. */
const byHand: WorkflowExecuteMode[] = ['manual', 'chat', 'evaluation'];

/** Modes that can't be manual. Also those of n8n's command line and of error workflows. */
const published: WorkflowExecuteMode[] = ['trigger', 'webhook', 'error', 'cli'];

/** Max workflows that call each other, so that the search for the first one ends. */
const MAX_DEPTH = 20;

/** The part of n8n's record of an execution that's needed. `source` is its mode, of the first try in a Retry. */
type Begun = Pick<IExecutionContext, 'source' | 'parentExecutionId'>;

/** The record of the execution that called another one. */
async function callerOf(context: IExecuteFunctions, id?: string): Promise<Begun | undefined> {
	if (id === undefined) return undefined;
	const data = await context.getExecutionDataById(id).catch(() => undefined);
	return data?.parentExecution?.executionContext;
}

/**
 * The mode of the execution that everything began with. A sub-workflow has a mode of its own, and so has n8n's
 * Retry.
 * @returns undefined if n8n doesn't say
 */
async function firstMode(context: ApiContext): Promise<WorkflowExecuteMode | undefined> {
	const mode = context.getMode?.();
	if (mode !== 'integrated' && mode !== 'retry') return mode;
	if (!('getExecutionDataById' in context)) return undefined;
	let id: string | undefined = context.getExecutionId();
	let begun: Begun | undefined = context.getExecutionContext();
	for (let depth = 0; begun?.source === 'integrated' && depth < MAX_DEPTH; depth++) {
		const caller = await callerOf(context, id);
		id = begun.parentExecutionId;
		begun = caller;
	}
	return begun?.source;
}

/** A hook runs in a mode of n8n's own when it's unpublished, so only listening in the editor is manual. */
const isHook = (context: ApiContext) => 'getActivationMode' in context;

type Decision = Omit<DryRun, 'made'> | undefined;

async function ofManual(context: ApiContext): Promise<Decision> {
	if (isHook(context)) {
		if (context.getMode?.() !== 'manual') return undefined;
		const reason = `${MANUAL}, and listening in the editor is one, so this isn't sent: {route}. Publish the workflow, or set Dry Run to Off`;
		return { isManual: true, reason };
	}
	const mode = await firstMode(context);
	if (mode !== undefined && published.includes(mode)) return undefined;
	if (mode !== undefined && byHand.includes(mode)) return { isManual: true };
	const reason = `${MANUAL}, but n8n doesn't tell the node how this execution began, so this isn't sent: {route}. Set Dry Run to Off or On`;
	return { isManual: false, reason };
}

async function decided(setting: DryRunSetting, context: ApiContext): Promise<Decision> {
	if (setting === 'off') return undefined;
	if (setting === 'manual') return await ofManual(context);
	if ('getExecutionCancelSignal' in context) return { isManual: false };
	// A trigger would take a simulated response for a registration.
	return {
		isManual: false,
		reason: "is on in the credential, so this isn't sent: {route}. Turn it off to publish",
	};
}

/** Key in n8n's data of an execution, which its nodes share. */
const keptIn = ({ credential }: ApiDefinition) => `${credential.type}DryRun`;

function madeIn(context: ApiContext, api: ApiDefinition): Made {
	if (!('getContext' in context)) return {};
	const kept = context.getContext('flow') as Record<string, Made | undefined>;
	return (kept[keptIn(api)] ??= {});
}

export async function dryRunOf(
	{ dryRunSetting: setting, api }: Account,
	context: ApiContext,
): Promise<DryRun | undefined> {
	const decision = await decided(setting, context);
	return decision && { ...decision, made: madeIn(context, api) };
}
