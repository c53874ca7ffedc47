// Decides whether it's a dry run, once for each execution, hook, poll, picker or sub-node.
import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	IExecutionContext,
	IHttpRequestOptions,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { FieldFault } from '../../base/apiRequest';
import type { ApiDefinition } from '../../base/definition';
import type { Account, ApiContext } from './credential';
import type { Made } from './dryRecord';

/** Dry Run in the credential. */
export type DryRunSetting = 'off' | 'on' | 'manual';

/** Handling of requests that a dry run holds back. Undefined while everything is sent. */
export interface DryRun {
	/** It's dry because n8n runs it by hand. A published workflow would send. */
	isManual: boolean;
	/** Why a request is refused, with its `{route}`. Undefined if its response is simulated. */
	refusal?: string;
	/** Records that the execution has made so far. */
	made: Made;
}

const FIELD = 'Dry Run';

/** Also what an expression may return. */
const settings = new Map<unknown, DryRunSetting>([
	...[false, 'false', 'off'].map((value) => [value, 'off'] as const),
	...[true, 'true', 'on'].map((value) => [value, 'on'] as const),
	['manual', 'manual'],
]);

export const MANUAL = 'is "Only in Manual Executions" in the credential';

/**
 * Reads the setting. A credential that was saved without it has it off.
 * @throws FieldFault for anything else, so that an expression without a value sends nothing for real
 */
export function dryRunSetting(credential: ICredentialDataDecryptedObject): DryRunSetting {
	if (!Object.hasOwn(credential, 'dryRun')) return 'off';
	const setting = settings.get(credential.dryRun);
	if (setting) return setting;
	const given = JSON.stringify(credential.dryRun) ?? 'undefined';
	throw new FieldFault(FIELD, `in the credential must be off, on or manual (got ${given})`);
}

/** Methods that change nothing. */
const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Checks a request of a node that isn't from this package, such as HTTP Request. The credential doesn't learn
 * how the execution began, so in doubt it isn't sent.
 * @param nodes what users call the nodes of the package
 * @throws FieldFault if it may change data and Dry Run isn't off
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
		const refusal = `${MANUAL}, and listening in the editor is one, so this isn't sent: {route}. Publish the workflow, or set Dry Run to Off`;
		return { isManual: true, refusal };
	}
	const mode = await firstMode(context);
	if (mode !== undefined && published.includes(mode)) return undefined;
	if (mode !== undefined && byHand.includes(mode)) return { isManual: true };
	const refusal = `${MANUAL}, but n8n doesn't tell the node how this execution began, so this isn't sent: {route}. Set Dry Run to Off or On`;
	return { isManual: false, refusal };
}

async function decided(setting: DryRunSetting, context: ApiContext): Promise<Decision> {
	if (setting === 'off') return undefined;
	if (setting === 'manual') return await ofManual(context);
	if ('getExecutionCancelSignal' in context) return { isManual: false };
	// A trigger would take a simulated response for a registration.
	return {
		isManual: false,
		refusal: "is on in the credential, so this isn't sent: {route}. Turn it off to publish",
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
