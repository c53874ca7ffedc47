// `npm start`: a real n8n with this package, a service to talk to, credentials for it, a workflow to
// start with and the examples, ready to click. Everything ends with Ctrl-C, or with npm.

import './requireNode.cts';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChatModel } from '../n8n/chatModel.cts';
import { linksOf, startMailServer } from '../n8n/mailServer.cts';
import type { N8nClient, StoredCredential, WorkflowJson } from '../n8n/client.cts';
import { ensureN8n } from '../n8n/install.cts';
import { type N8nInstance, startN8n } from '../n8n/instance.cts';
import { isPortFree } from '../n8n/ports.cts';
import { withProgress } from '../n8n/progress.cts';
import { startSandbox } from '../sandbox/index.cts';
import { ensureBuild } from './build.cts';
import {
	credentialsFor,
	platformCredentials,
	startHere,
	welcome,
	type DemoCredential,
} from './demo.cts';
import { readSettings, type Service, type Settings } from './settings.cts';
import { startWebhookFront } from './webhookFront.cts';

const ROOT = join(__dirname, '..', '..');
const EXAMPLES = join(ROOT, 'examples');

/** Kept between starts, so that what a user has built in the demo is still there. */
const USER_FOLDER = join(ROOT, '.n8n-demo');

const OWNER = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'User',
	password: 'Platform-Demo-1',
};

/** How long after its creation a charge of the sandbox is paid or fails. */
const CHARGE_SETTLES_AFTER_MS = 2_000;

const editorUrl = (port: number) => `http://localhost:${port}/`;

/** What has been started, to be stopped in reverse order. */
type Started = Array<() => Promise<void>>;

async function run(signal: AbortSignal, started: Started): Promise<void> {
	const settings = readSettings(process.env);
	await checkPorts(settings);
	if (!existsSync(USER_FOLDER)) {
		console.log('The first start installs a real n8n: 4 to 8 minutes. Later ones take seconds.');
	}
	await ensureBuild(ROOT, join(USER_FOLDER, 'built'), signal);
	await ensureN8n(console.log, signal);

	const { service, webhookUrl, others } = settings.service
		? { service: settings.service, webhookUrl: settings.webhookUrl, others: [] }
		: await startDemoService(settings, started);
	signal.throwIfAborted();
	const n8n = await withProgress('Starting n8n (about 10 seconds)', console.log, () =>
		startN8n({
			userFolder: USER_FOLDER,
			port: settings.port,
			owner: OWNER,
			webhookUrl,
			env: { N8N_EDITOR_BASE_URL: editorUrl(settings.port) },
			signal,
		}),
	);
	started.push(n8n.stop);

	const credentials: StoredCredential[] = [];
	for (const each of [...platformCredentials(service), ...others]) {
		credentials.push(await storeCredential(n8n.client, each));
	}
	credentials.push(await n8nCredential(n8n));
	const examples = await readExamples();
	// From the last to the first: n8n's home lists what was saved last on top.
	for (const example of examples.toReversed())
		await storeWorkflow(n8n.client, example, credentials);
	const id = await storeWorkflow(n8n.client, startHere, credentials);
	console.log(
		welcome({
			page: `${editorUrl(settings.port)}workflow/${id}`,
			owner: OWNER,
			service,
			isSandbox: !settings.service,
			examples: examples.map(({ name }) => name),
		}),
	);

	const ending = await Promise.race([n8n.program.ended, aborted(signal)]);
	if (!signal.aborted) {
		throw new Error(`n8n ended by itself (${ending}):\n${n8n.logs().slice(-2000)}`);
	}
}

/**
 * The sandbox, the address over which it reaches n8n, and what else the examples need: a server
 * that takes mails and shows their subjects and links, and a chat model that calls each tool once.
 */
async function startDemoService(
	{ port, sandboxPort, webhookPort, world }: Settings,
	started: Started,
): Promise<{ service: Service; webhookUrl: string; others: DemoCredential[] }> {
	const front = await startWebhookFront(webhookPort, port);
	started.push(front.close);
	const sandbox = await startSandbox({
		port: sandboxPort,
		world,
		settleAfterMs: CHARGE_SETTLES_AFTER_MS,
		deliveries: { ca: front.ca },
	});
	started.push(sandbox.close);
	const mailServer = await startMailServer((mail) => {
		console.log(`Mail to ${mail.to.join(', ')}: ${mail.subject}`);
		// The webhook front's host is known to the sandbox only.
		for (const link of linksOf(mail)) {
			if (link.startsWith(front.url)) console.log(link.replace(front.url, editorUrl(port)));
		}
	});
	started.push(mailServer.close);
	const model = await startChatModel();
	started.push(model.close);
	return {
		service: { baseUrl: sandbox.baseUrl, apiKey: sandbox.key },
		webhookUrl: front.url,
		others: [
			{ type: 'smtp', name: 'SMTP account', data: mailServer.credential },
			{ type: 'openAiApi', name: 'OpenAI account', data: { apiKey: 'none', url: model.url } },
		],
	};
}

async function checkPorts({ port, sandboxPort, webhookPort, service }: Settings): Promise<void> {
	const wanted: Array<[number, string, string]> = [[port, 'N8N_PORT', 'n8n']];
	if (!service) {
		wanted.push([sandboxPort, 'SANDBOX_PORT', 'the sandbox']);
		wanted.push([webhookPort, 'WEBHOOK_PORT', 'webhook deliveries']);
	}
	for (const [number, variable, user] of wanted) {
		if (await isPortFree(number)) continue;
		throw new Error(
			`Port ${number}, meant for ${user}, is taken. Stop what uses it, or choose another one: ` +
				`${variable}=${number + 1000} npm start`,
		);
	}
}

/** What examples need that look at n8n's own workflows; kept, since n8n shows a key once only. */
async function n8nCredential({ client, url }: N8nInstance): Promise<StoredCredential> {
	const stored = (await client.credentials()).find(({ type }) => type === 'n8nApi');
	if (stored) return stored;
	const scopes = ['workflow:list', 'workflow:activate', 'workflow:deactivate'];
	const apiKey = await client.createApiKey('Examples', scopes);
	return await client.createCredential('n8nApi', 'n8n account', {
		apiKey,
		baseUrl: `${url}/api/v1`,
	});
}

/** A credential of the demo, made or brought up to date. */
async function storeCredential(
	client: N8nClient,
	{ type, name, data }: DemoCredential,
): Promise<StoredCredential> {
	const stored = (await client.credentials()).find(
		(each) => each.type === type && each.name === name,
	);
	return stored
		? await client.updateCredential(stored, data)
		: await client.createCredential(type, name, data);
}

async function readExamples(): Promise<WorkflowJson[]> {
	const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.json')).sort();
	const texts = await Promise.all(
		files.map(async (file) => await readFile(join(EXAMPLES, file), 'utf8')),
	);
	return texts.map((text) => JSON.parse(text) as WorkflowJson);
}

/** Imports a workflow unless n8n holds one of its name; returns its ID. */
async function storeWorkflow(
	client: N8nClient,
	workflow: WorkflowJson,
	credentials: StoredCredential[],
): Promise<string> {
	const present = (await client.workflows()).find(({ name }) => name === workflow.name);
	const { id } =
		present ?? (await client.importWorkflow(workflow, credentialsFor(workflow, credentials)));
	return id;
}

async function aborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return;
	await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/**
 * Calls back when npm has ended: it passes signals on to the shell in between only, which dies of
 * them and leaves this process to another parent.
 */
function onEndOfNpm(callback: () => void): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		callback();
	}, 500);
	timer.unref();
}

async function main(): Promise<void> {
	const stopping = new AbortController();
	const stop = () => {
		if (!stopping.signal.aborted) console.log('\nStopping ...');
		stopping.abort();
	};
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
	onEndOfNpm(stop);
	const started: Started = [];
	try {
		await run(stopping.signal, started);
	} catch (error) {
		if (!stopping.signal.aborted) {
			console.error(`\n${(error as Error).message}`);
			process.exitCode = 1;
		}
	}
	for (const end of started.reverse()) await end();
	if (stopping.signal.aborted) console.log('Stopped.');
}

void main();
