// Dry Run in the credential, and what other nodes may send with it.
import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { FieldFault } from '../../base/apiRequest';
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
