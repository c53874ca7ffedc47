// What the environment and the command line say about a demo.
import { parseArgs } from 'node:util';
import { worldNamed, type World } from '../contract/worlds.cts';
import { demoSandbox } from './demo.cts';

export interface Service {
	baseUrl: string;
	apiKey: string;
}

export interface Settings {
	/** Port of n8n's editor. */
	port: number;
	/** Port of the sandbox. */
	sandboxPort: number;
	/** Port that takes the sandbox's webhook deliveries over TLS. */
	webhookPort: number;
	/** How the sandbox decides what the reference leaves open. */
	world: World;
	/** The service to work with in place of the sandbox. */
	service?: Service;
	/** Public HTTPS address of this n8n, for webhooks of a real service. */
	webhookUrl?: string;
	/** An image of n8n to run in place of the pinned package. */
	image?: string;
	/** Address of an n8n that already runs, in place of one that is started. */
	n8nUrl?: string;
	/** Whether n8n loads each change of the sources. */
	watch: boolean;
}

const OPTIONS = {
	image: { type: 'string' },
	external: { type: 'boolean' },
	watch: { type: 'boolean' },
} as const;

/**
 * Reads N8N_PORT, SANDBOX_PORT, WEBHOOK_PORT, PLATFORM_WORLD, PLATFORM_BASE_URL, PLATFORM_API_KEY, N8N_IMAGE,
 * N8N_URL, and N8N_WEBHOOK_URL or, as older versions of n8n name it, WEBHOOK_URL. Of the arguments, `--image`
 * is N8N_IMAGE, and `--external` the N8N_URL of an n8n on this machine.
 * @throws an error that names the variable to mend.
 */
export function readSettings(env: NodeJS.ProcessEnv, args: string[] = []): Settings {
	const { values } = parseArgs({ args, options: OPTIONS });
	const port = readPort(env, 'N8N_PORT', 5678);
	const n8nUrl = env.N8N_URL || (values.external ? `http://localhost:${port}` : undefined);
	const image = values.image || env.N8N_IMAGE || undefined;
	if (n8nUrl && (image || values.watch)) {
		throw new Error("--external and N8N_URL can't go with --image, N8N_IMAGE or --watch.");
	}
	return {
		port,
		sandboxPort: readPort(env, 'SANDBOX_PORT', 5680),
		webhookPort: readPort(env, 'WEBHOOK_PORT', 5681),
		world: readWorld(env),
		service: readService(env),
		webhookUrl: env.N8N_WEBHOOK_URL || env.WEBHOOK_URL || undefined,
		image,
		n8nUrl,
		watch: values.watch ?? false,
	};
}

function readPort(env: NodeJS.ProcessEnv, name: string, standard: number): number {
	const text = env[name];
	if (!text) return standard;
	const port = Number(text);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new Error(`${name} must be a port number from 1 to 65535, not '${text}'.`);
	}
	return port;
}

function readWorld({ PLATFORM_WORLD: name }: NodeJS.ProcessEnv): World {
	if (!name) return demoSandbox.world;
	try {
		return worldNamed(name);
	} catch (error) {
		throw new Error(`PLATFORM_WORLD is '${name}'. ${(error as Error).message}.`);
	}
}

function readService(env: NodeJS.ProcessEnv): Service | undefined {
	const { PLATFORM_BASE_URL: baseUrl, PLATFORM_API_KEY: apiKey } = env;
	if (!baseUrl && !apiKey) return undefined;
	if (!baseUrl) throw new Error('PLATFORM_API_KEY is set, but PLATFORM_BASE_URL is missing.');
	if (!apiKey) throw new Error('PLATFORM_BASE_URL is set, but PLATFORM_API_KEY is missing.');
	return { baseUrl, apiKey };
}
