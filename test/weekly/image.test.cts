// n8n from an image. No engine runs where the tests do, so one stands in for docker: its arguments are looked at, and
// n8n runs with nothing but what they say.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startN8n, type N8nInstance } from '../n8n/instance.cts';
import { LEAN, packed } from '../n8n/setting.cts';
import { IMAGE, makeStandInEngine, type StandInEngine } from '../n8n/standInEngine.cts';
import { platform, rowOf, start } from '../n8n/parts.cts';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';

const PATH = process.env.PATH;

let folder: string;
let engine: StandInEngine;
let sandbox: Sandbox;
let n8n: N8nInstance;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'engine-'));
	engine = await makeStandInEngine(folder);
	process.env.PATH = engine.path;
	sandbox = await startSandbox({ customers: 3 });
	n8n = await startN8n({ image: IMAGE, packageUnderTest: packed(), env: LEAN });
});

afterAll(async () => {
	await n8n?.stop();
	await sandbox?.close();
	process.env.PATH = PATH;
	await rm(folder, { recursive: true, force: true });
});

const argumentsOf = async (command: string) =>
	(await engine.calls()).filter(([first]) => first === command);

const valuesOf = (args: string[], name: string) =>
	args.flatMap((arg, index) => (arg === name ? [args[index + 1]] : []));

/** Names of the containers that were started, and of those that were removed. */
const containers = async () => ({
	started: (await argumentsOf('run')).flatMap((args) => valuesOf(args, '--name')),
	removed: (await argumentsOf('rm')).map((args) => args.at(-1)),
});

test('its container listens on loopback only, and is nobody else', async () => {
	const [args] = await argumentsOf('run');
	expect(args).toContain('--rm');
	expect(valuesOf(args, '--user')).toEqual([`${process.getuid?.()}:${process.getgid?.()}`]);
	expect(args.filter((arg) => /^(-p|--publish|--privileged)/.test(arg))).toEqual([]);
	expect(valuesOf(args, '--env')).toContain('N8N_LISTEN_ADDRESS=127.0.0.1');
});

test('a workflow of the package reads the sandbox', async () => {
	const credential = await n8n.client.createCredential('platformApi', 'Platform API', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.key,
	});
	const customers = { resource: 'customer', operation: 'getAll', returnAll: true };
	const { id } = await n8n.client.importWorkflow(
		rowOf('Image', start, platform('List', 'Customers', customers)),
		[credential],
	);
	const { status } = await n8n.client.runWorkflow(id);
	expect(status).toBe('success');
	expect(sandbox.requests.map(({ path }) => path.split('?')[0])).toContain('/customers.json');
});

test.each([
	['ended', async () => await n8n.restart()],
	[
		'killed',
		async () => {
			await n8n.kill9();
			await n8n.restart();
		},
	],
])(
	'one that is %s is removed, and another takes its place with the same data',
	async (_how, end) => {
		const before = await containers();
		await end();
		const after = await containers();
		expect(after.started).toHaveLength(before.started.length + 1);
		expect(after.removed).toEqual(expect.arrayContaining(before.started));
		expect(after.removed).not.toContain(after.started.at(-1));
		expect((await n8n.client.workflows()).map(({ name }) => name)).toEqual(['Image']);
	},
);
