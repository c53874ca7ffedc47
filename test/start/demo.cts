// What a demo holds beside n8n: two credentials of the service, the workflow that it opens on, and its welcome.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { usualWorld } from '../contract/worlds.cts';
import type { StoredCredential, WorkflowJson } from '../n8n/client.cts';
import type { SandboxOptions } from '../sandbox/index.cts';
import type { Service } from './settings.cts';

/** A credential of the demo, under the name that the examples give it. */
export interface DemoCredential {
	type: string;
	name: string;
	data: Record<string, unknown>;
}

/** Changes what it says it changes. */
export const REAL = 'Platform API';

/** Sends no write. */
export const DRY = 'Platform API (dry)';

/** The dry one is the last, because n8n gives a new node the newest credential. */
export const platformCredentials = (service: Service): DemoCredential[] => [
	{ type: 'platformApi', name: REAL, data: { ...service, dryRun: 'off' } },
	{ type: 'platformApi', name: DRY, data: { ...service, dryRun: 'on' } },
];

/**
 * The world of the demo, in which every example runs. n8n's own Filter node takes 4 ms an item, so more customers make a
 * beginner wait. A charge is paid or fails two seconds after its creation. The list of subscriptions shows plans to choose from.
 */
export const demoSandbox = {
	customers: 500,
	settleAfterMs: 2_000,
	world: { ...usualWorld, recurringRows: 'plan_id and plan_name' },
} satisfies SandboxOptions;

/** The first workflow of the README, as the demo opens on it. Its nodes use the dry credential. */
export const startHere = JSON.parse(
	readFileSync(join(__dirname, 'startHere.json'), 'utf8'),
) as WorkflowJson;

/** The credentials for a workflow: those that it names, and of types without such a one the last. */
export function credentialsFor(
	{ nodes }: Pick<WorkflowJson, 'nodes'>,
	stored: StoredCredential[],
): StoredCredential[] {
	const named = new Set(
		nodes.flatMap(({ credentials = {} }) => Object.values(credentials)).map(({ name }) => name),
	);
	const isNamed = ({ name }: StoredCredential) => named.has(name);
	const last = new Map(stored.map((credential) => [credential.type, credential]));
	return stored.filter(
		(each) =>
			isNamed(each) ||
			(last.get(each.type) === each &&
				!stored.some((other) => other.type === each.type && isNamed(other))),
	);
}

export interface Welcome {
	/** The page that the demo opens on. */
	page: string;
	owner: { email: string; password: string };
	service: Service;
	/** The service is the sandbox, whose key is nobody's secret. */
	isSandbox: boolean;
	examples: string[];
	/** On what is kept, or missing. */
	note: string;
}

export function welcome({ page, owner, service, isSandbox, examples, note }: Welcome): string {
	const about = isSandbox
		? `The sandbox of the API:  ${service.baseUrl}
API key:                 ${service.apiKey}
Its data and its key are new with each start: then publish workflows again that wait for its events.
A charge fails if the name of a service has "decline" in it.
Emails are shown here. The chat model is a stand-in, which calls up to eight tools of an agent once. Example 28
needs a Slack credential of yours.`
		: `They work with ${new URL(service.baseUrl).origin} and your key: what they write is real.
Those that send mail or ask a chat model need a credential of yours for it.`;
	return `
Open:          ${page}
Sign in with:  ${owner.email}
Password:      ${owner.password}

It shows the workflow "${startHere.name}", which charges a customer with the credential "${DRY}":
nothing is changed. With the credential "${REAL}" it's real.

The examples use "${REAL}". Open one and choose Execute workflow:
${examples.map((name) => `  - ${name}`).join('\n')}

${about}
${note}
Press Ctrl-C to stop.
`;
}
