// What the environment says about a demo.
import { usualWorld, worldNamed, type World } from '../contract/worlds.cts';

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
}

/**
 * Reads N8N_PORT, SANDBOX_PORT, WEBHOOK_PORT, PLATFORM_WORLD, PLATFORM_BASE_URL, PLATFORM_API_KEY, and
 * N8N_WEBHOOK_URL or, as older versions of n8n name it, WEBHOOK_URL.
 * @throws an error that names the variable to mend.
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
	return {
		port: readPort(env, 'N8N_PORT', 5678),
		sandboxPort: readPort(env, 'SANDBOX_PORT', 5680),
		webhookPort: readPort(env, 'WEBHOOK_PORT', 5681),
		world: readWorld(env),
		service: readService(env),
		webhookUrl: env.N8N_WEBHOOK_URL || env.WEBHOOK_URL || undefined,
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
	if (!name) return usualWorld;
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
