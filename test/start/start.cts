// `npm start`: a real n8n with this package, a service to talk to, credentials for it, a workflow to
// start with and the examples, ready to click. Everything ends with Ctrl-C, or with npm.

import './requireNode.cts';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { startChatModel } from '../n8n/chatModel.cts';
import { linksOf, startMailServer } from '../n8n/mailServer.cts';
import type { N8nClient, Owner, StoredCredential, WorkflowJson } from '../n8n/client.cts';
import { joinN8n, type N8nInstance, type RunningN8n, startN8n } from '../n8n/instance.cts';
import { placeOfBuild } from '../n8n/packageUnderTest.cts';
import { isPortFree } from '../n8n/ports.cts';
import { startProgram } from '../n8n/program.cts';
import { withProgress } from '../n8n/progress.cts';
import { wayToN8n } from '../n8n/ways.cts';
import { startSandbox } from '../sandbox/index.cts';
import { ensureBuild } from './build.cts';
import {
	credentialsFor,
	demoSandbox,
	platformCredentials,
	startHere,
	welcome,
	type DemoCredential,
} from './demo.cts';
import { printerOf } from './n8nLog.cts';
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

const editorUrl = (port: number) => `http://localhost:${port}/`;

/** The demo is ready. What n8n logs while it starts isn't shown. */
let isOpen = false;

/** What has been started, to be stopped in reverse order. */
type Started = Array<() => Promise<void>>;

async function run(signal: AbortSignal, started: Started): Promise<void> {
	const settings = readSettings(process.env, process.argv.slice(2));
	await checkPorts(settings);
	if (!settings.n8nUrl) await prepare(settings, signal);

	const { service, webhookUrl, others } = settings.service
		? { service: settings.service, webhookUrl: settings.webhookUrl, others: [] }
		: await startDemoService(settings, started);
	signal.throwIfAborted();
	const { n8n, ended } = await openN8n(settings, webhookUrl, signal);
	started.push(n8n.stop);
	if (settings.watch) started.push(watchSources(settings));

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
			page: `${settings.n8nUrl ? `${n8n.url}/` : editorUrl(settings.port)}workflow/${id}`,
			owner: hidden(n8n.owner),
			note: noteOn(settings, webhookUrl),
			service,
			isSandbox: !settings.service,
			examples: examples.map(({ name }) => name),
		}),
	);

	isOpen = true;
	await Promise.race([aborted(signal), ...(ended ? [ended()] : [])]);
}

/** A password of somebody's own isn't printed. */
const hidden = ({ email, password }: Owner) => ({
	email,
	password: process.env.N8N_OWNER_PASSWORD ? 'that in N8N_OWNER_PASSWORD' : password,
});

function noteOn(settings: Settings, webhookUrl: string | undefined): string {
	if (settings.n8nUrl) {
		const address = webhookUrl ?? "n8n's public https URL";
		return `For Platform Trigger, start n8n with N8N_WEBHOOK_URL=${address}`;
	}
	const folder = relative(ROOT, userFolderOf(settings));
	return `Your changes in n8n are kept in the folder ${folder}. Delete it to start over.`;
}

/** Builds the package, and installs or fetches the n8n. */
async function prepare({ image }: Settings, signal: AbortSignal): Promise<void> {
	if (!image && !existsSync(USER_FOLDER)) {
		console.log('The first start installs a real n8n: 5 to 10 minutes. Later ones take seconds.');
	}
	await ensureBuild(ROOT, join(USER_FOLDER, 'built'), signal);
	await wayToN8n({ image, signal }, console.log);
}

/** Each image keeps its own data, since n8n can't go back to an older database. */
const userFolderOf = ({ image }: Settings) =>
	image ? join(USER_FOLDER, 'images', image.replace(/[^\w.-]+/g, '-')) : USER_FOLDER;

/** The n8n of the demo, and what fails when it ends by itself. */
async function openN8n(
	settings: Settings,
	webhookUrl: string | undefined,
	signal: AbortSignal,
): Promise<{ n8n: RunningN8n; ended?: () => Promise<never> }> {
	if (settings.n8nUrl) return { n8n: (await joinN8n(settings.n8nUrl, OWNER))! };
	const n8n = await withProgress('Starting n8n (10 to 30 seconds)', console.log, () =>
		startN8n({
			userFolder: userFolderOf(settings),
			image: settings.image,
			port: settings.port,
			owner: OWNER,
			webhookUrl,
			env: {
				N8N_EDITOR_BASE_URL: editorUrl(settings.port),
				N8N_LOG_FORMAT: 'json',
				...(settings.watch && { N8N_DEV_RELOAD: 'true' }),
			},
			signal,
			print: printerOf((line) => {
				if (isOpen) console.log(line);
			}),
		}),
	);
	return { n8n, ended: async () => await endOf(n8n, signal) };
}

async function endOf({ program, logs }: N8nInstance, signal: AbortSignal): Promise<never> {
	const ending = await program.ended;
	signal.throwIfAborted();
	throw new Error(`n8n ended by itself (${ending}):\n${logs().slice(-2000)}`);
}

/** Compiles each change into what n8n has loaded; n8n sees it there. */
function watchSources(settings: Settings): () => Promise<void> {
	const compiled = placeOfBuild(userFolderOf(settings));
	const compiler = startProgram(
		join(ROOT, 'node_modules', '.bin', 'gulp'),
		['watch', '--outDir', compiled],
		{
			cwd: ROOT,
			print: (text) => process.stdout.write(text),
		},
	);
	return async () => await compiler.stop();
}

/**
 * The sandbox, the address over which it reaches n8n, and what else the examples need: a server
 * that takes mails and shows their subjects and links, and a chat model that calls each tool once.
 */
async function startDemoService(
	{ port, n8nUrl, sandboxPort, webhookPort, world }: Settings,
	started: Started,
): Promise<{ service: Service; webhookUrl: string; others: DemoCredential[] }> {
	const front = await startWebhookFront(
		webhookPort,
		n8nUrl ? Number(new URL(n8nUrl).port || 80) : port,
	);
	started.push(front.close);
	const sandbox = await startSandbox({
		...demoSandbox,
		port: sandboxPort,
		world,
		deliveries: { ca: front.ca },
	});
	started.push(sandbox.close);
	const mailServer = await startMailServer((mail) => {
		console.log(`Mail to ${mail.to.join(', ')}: ${mail.subject}`);
		// The webhook front's host is known to the sandbox only.
		const links = linksOf(mail).filter((link) => link.startsWith(front.url));
		const approves = (link: string) => link.includes('approved=true');
		for (const link of links.toSorted((a, b) => Number(approves(b)) - Number(approves(a)))) {
			const label = approves(link)
				? 'Approve: '
				: link.includes('approved=false')
					? 'Refuse: '
					: '';
			console.log(label + link.replace(front.url, editorUrl(port)));
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

async function checkPorts(settings: Settings): Promise<void> {
	const { n8nUrl, port, sandboxPort, webhookPort, service } = settings;
	const wanted: Array<[number, string, string]> = n8nUrl ? [] : [[port, 'N8N_PORT', 'n8n']];
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
async function n8nCredential({ client, url }: RunningN8n): Promise<StoredCredential> {
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
