// Decides if it's a dry run, once for each execution, hook, poll, picker or sub-node. What a dry run does is in dryRun.ts.
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutionContext,
	IHttpRequestOptions,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { FieldFault } from '../../base/apiRequest';
import type { ApiDefinition } from '../../base/definition';
import type { ApiContext } from './context';
import { noRecords, type DryRecords } from './dryRecords';

export type DryRunSetting = 'off' | 'on' | 'manual';

/** Handling of requests that a dry run holds back. Undefined while everything is sent. */
export interface DryRun {
	/** It's dry because n8n runs it by hand. A published workflow would send. */
	isManual: boolean;
	/** Why a request is neither sent nor simulated, with `{route}` in place of its route. Undefined if it's simulated. */
	reason?: string;
	made: DryRecords;
}

const FIELD = 'Dry Run';

/** The form saves a text, and an expression may also return a boolean or its text. */
const settings = new Map<unknown, DryRunSetting>([
	...[false, 'false', 'off'].map((value) => [value, 'off'] as const),
	...[true, 'true', 'on'].map((value) => [value, 'on'] as const),
	['manual', 'manual'],
]);

const MANUAL = 'is "Only in Manual Executions" in the credential';

/** Off for a credential saved without it. Throws FieldFault otherwise, so that an expression without a value sends nothing. */
export function dryRunSetting(credential: ICredentialDataDecryptedObject): DryRunSetting {
	if (!Object.hasOwn(credential, 'dryRun')) return 'off';
	const setting = settings.get(credential.dryRun);
	if (setting) return setting;
	const given = JSON.stringify(credential.dryRun) ?? 'undefined';
	throw new FieldFault(FIELD, `in the credential must be off, on or manual (got ${given})`);
}

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Checks a request of a node of another package, such as HTTP Request. The credential doesn't learn how the execution began, so
 * Only in Manual Executions holds the request back in every execution. Throws FieldFault if it may change data and Dry Run
 * isn't off. `nodes` is what users call the nodes of this package.
 */
export function checkForeign(
	credential: ICredentialDataDecryptedObject,
	{ method = 'GET' }: Pick<IHttpRequestOptions, 'method'>,
	nodes: string,
): void {
	const setting = dryRunSetting(credential);
	if (setting === 'off' || READS.includes(method.toUpperCase())) return;
	const why =
		setting === 'on'
			? 'is on in the credential'
			: `${MANUAL}, which only the ${nodes} nodes can tell from others`;
	throw new FieldFault(FIELD, `${why}, so ${method} isn't sent. Use a credential with Dry Run off`);
}

/** Modes of an execution that a person or a test started, with the workflow as it's in the editor. */
const byHand: WorkflowExecuteMode[] = ['manual', 'chat', 'evaluation'];

/** Modes that can't be manual, also those of n8n's command line and of error workflows. */
const published: WorkflowExecuteMode[] = ['trigger', 'webhook', 'error', 'cli'];

/** Max workflows that call each other, so that the search for the first one ends. */
const MAX_DEPTH = 20;

/** Facts that n8n keeps of how an execution began. `source` is its mode, in a Retry the mode of the first try. */
type Begun = Pick<IExecutionContext, 'source' | 'parentExecutionId'>;

/** The way in which the caller of an execution began. Undefined if n8n can't read the execution. */
async function callerOf(context: IExecuteFunctions, id?: string): Promise<Begun | undefined> {
	if (id === undefined) return undefined;
	const data = await context.getExecutionDataById(id).catch(() => undefined);
	return data?.parentExecution?.executionContext;
}

/** The mode of the first execution, because a sub-workflow and n8n's Retry have modes of their own. Undefined if unknown. */
async function firstMode(context: ApiContext): Promise<WorkflowExecuteMode | undefined> {
	const mode = context.getMode?.();
	if (mode !== 'integrated' && mode !== 'retry') return mode;
	if (!('getExecutionDataById' in context)) return undefined;
	let id: string | undefined = context.getExecutionId();
	// Both are of the same execution, and go up to its caller together.
	let begun: Begun | undefined = context.getExecutionContext();
	for (let depth = 0; begun?.source === 'integrated' && depth < MAX_DEPTH; depth++) {
		const caller = await callerOf(context, id);
		id = begun.parentExecutionId;
		begun = caller;
	}
	return begun?.source;
}

const isHook = (context: ApiContext) => 'getActivationMode' in context;

/** Dry Run with Only in Manual Executions, undefined to send for real. If n8n doesn't tell how it began, a write fails. */
async function ofManual(context: ApiContext): Promise<Omit<DryRun, 'made'> | undefined> {
	if (isHook(context)) {
		// Publishing and unpublishing have other modes, also ones that aren't in `published`.
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

/** All nodes of an execution share this key in n8n's data. */
const keptIn = ({ credential }: ApiDefinition) => `${credential.type}DryRun`;

/** Hooks, polls and pickers have no data of an execution. */
function madeIn(context: ApiContext, api: ApiDefinition): DryRecords {
	if (!('getContext' in context)) return noRecords();
	const kept = context.getContext('flow') as Record<string, DryRecords | undefined>;
	return (kept[keptIn(api)] ??= noRecords());
}

/** Undefined to send for real. With `reason`, a write fails with it instead of being simulated. */
export async function dryRunOf(
	setting: Exclude<DryRunSetting, 'off'>,
	api: ApiDefinition,
	context: ApiContext,
): Promise<DryRun | undefined> {
	if (setting === 'manual') {
		const manual = await ofManual(context);
		return manual && { ...manual, made: madeIn(context, api) };
	}
	const made = madeIn(context, api);
	// Only executions and sub-nodes have this signal.
	if ('getExecutionCancelSignal' in context) return { isManual: false, made };
	// A trigger would take a simulated response for a registration.
	const reason = "is on in the credential, so this isn't sent: {route}. Turn it off to publish";
	return { isManual: false, reason, made };
}
