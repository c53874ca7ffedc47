// Where the processes of an n8n come from: the pinned package of npm, or an image, which docker or podman
// runs. An n8n that already runs is the third way (`openN8n`): nothing of it is started here.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ensureN8n, type N8nInstallation } from './install.cts';
import { type Program, runProgram, startProgram } from './program.cts';
import { type Log, withProgress } from './progress.cts';

interface ProcessOptions {
	env: Record<string, string>;
	/** What n8n reads and writes: everything that `env` names lies in it. */
	folder: string;
	signal?: AbortSignal;
	/** Gets what n8n prints, as it comes. */
	print?: (text: string) => void;
}

export interface Way {
	/** Version of n8n; an image tells it only when it runs. */
	version?: string;
	/** Folder of n8n's own packages, if they are on this machine. */
	modules?: string;
	/**
	 * Starts one n8n process, without waiting for it.
	 * @param command n8n's own: `start`, `worker`, `webhook`, `publish:workflow`, ..., with its arguments
	 */
	start(command: string | string[], options: ProcessOptions): Program;
}

export interface WayOptions {
	/** An image of n8n; by default the one that N8N_IMAGE names, if any. */
	image?: string;
	/** Folder of the pinned n8n to run (see `ensureN8n`), whatever N8N_IMAGE says. */
	installation?: string;
	signal?: AbortSignal;
}

/** Makes the n8n ready that these options ask for: it installs the package, or fetches the image. */
export async function wayToN8n(
	{ installation, image = process.env.N8N_IMAGE, signal }: WayOptions = {},
	log: Log = () => undefined,
): Promise<Way> {
	if (image && installation === undefined) return await wayOfImage(image, log, signal);
	return wayOfPackage(await ensureN8n(log, signal, installation));
}

/** Parts of n8n that call n8n's own services or serve its assistants; a second and 45 MB less. */
const UNUSED_MODULES = 'agents,chat-hub,instance-ai,mcp-registry';

const COMMON_SETTINGS = {
	N8N_DISABLED_MODULES: UNUSED_MODULES,
	N8N_RELEASE_TYPE: 'stable',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	// The default of n8n 2, not that of n8n 3.
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// A process may stand still for some seconds on a busy machine. After 5 s, n8n ends an expression, and takes its
	// database for lost.
	N8N_EXPRESSION_ENGINE_TIMEOUT: '60000',
	DB_PING_TIMEOUT_MS: '60000',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
};

/**
 * Settings of the shell, or of a test runner, that must not reach the n8n under test: n8n behaves
 * differently with NODE_ENV=test, and its workflows can read the environment, secrets included.
 */
const FOREIGN_SETTINGS =
	/^(N8N|DB|EXECUTIONS|QUEUE|WEBHOOK|CODE|NODES|GENERIC|OFFLOAD|PLATFORM|SANDBOX|JEST|npm)_|^NODE_(ENV|OPTIONS)$/;

function wayOfPackage({ node, n8n, version }: N8nInstallation): Way {
	const inherited = () =>
		Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name));
	const modules = dirname(dirname(dirname(n8n)));
	return {
		version,
		modules,
		start: (command, { env, signal, print }) =>
			startProgram(node, [n8n, command].flat(), {
				env: {
					...Object.fromEntries(inherited()),
					// n8n starts its task runner with the `node` of the PATH.
					PATH: [dirname(node), process.env.PATH].join(delimiter),
					// What a start has compiled, the next one reads.
					NODE_COMPILE_CACHE: join(modules, '.cache'),
					...COMMON_SETTINGS,
					...env,
				},
				signal,
				print,
			}),
	};
}

async function wayOfImage(image: string, log: Log, signal?: AbortSignal): Promise<Way> {
	const engine = await findEngine();
	const present = await runProgram(engine, ['image', 'inspect', image], { signal }).then(
		() => true,
		() => false,
	);
	if (!present) {
		await withProgress(`Fetching ${image} (some hundred MB)`, log, () =>
			runProgram(engine, ['pull', image], { signal }),
		);
	}
	return { start: (command, options) => startContainer(engine, image, command, options) };
}

/** The command that runs containers here. Docker's is often there without its engine. */
async function findEngine(): Promise<string> {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const present = ['docker', 'podman'].filter((name) =>
		folders.some((folder) => existsSync(join(folder, name))),
	);
	if (present.length === 0) {
		throw new Error('An image of n8n needs Docker or Podman: neither is in the PATH.');
	}
	for (const engine of present) {
		const responds = await runProgram(engine, ['version']).then(
			() => true,
			() => false,
		);
		if (responds) return engine;
	}
	throw new Error(
		`An image of n8n needs an engine that runs. None responds to ${present.join(' or ')}.`,
	);
}

/**
 * A container that is as near as a process: it shares the loopback interface, where the sandbox and the
 * databases listen and n8n does, too. The folder has the same path inside, and its files belong to this user.
 */
function startContainer(
	engine: string,
	image: string,
	command: string | string[],
	{ env, folder, signal }: ProcessOptions,
): Program {
	const name = `platform-api-n8n-${randomBytes(6).toString('hex')}`;
	const settings = Object.entries({ ...COMMON_SETTINGS, HOME: folder, ...env });
	const program = startProgram(
		engine,
		[
			...['run', '--rm', '--name', name, '--network', 'host'],
			...userOf(engine),
			...['--security-opt', 'label=disable', '--volume', `${folder}:${folder}`],
			...settings.flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
			...[image, command].flat(),
		],
		{ signal },
	);
	// The engine passes SIGTERM on to n8n. What outlives its command, as after SIGKILL, is removed by name.
	const remove = async () => {
		await runProgram(engine, ['rm', '--force', name]).catch(() => undefined);
	};
	const removed = program.ended.then(async (code) => {
		await remove();
		return code;
	});
	return {
		...program,
		ended: removed,
		stop: async (graceMs) => {
			await program.stop(graceMs);
			await removed;
		},
		kill: async () => {
			// Podman's `rm` ends it gently first.
			await runProgram(engine, ['kill', name]).catch(() => undefined);
			await remove();
			await program.kill();
			await removed;
		},
	};
}

function userOf(engine: string): string[] {
	const [user, group] = [process.getuid?.(), process.getgid?.()];
	if (user === undefined) return [];
	// A rootless podman gives this user's ID to the root of the container otherwise.
	const kept = engine === 'podman' && user !== 0 ? ['--userns', 'keep-id'] : [];
	return [...kept, '--user', `${user}:${group}`];
}
