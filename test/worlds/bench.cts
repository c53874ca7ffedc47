// What the checks of a world share: a sandbox that is this world, and runs of operations on n8n's
// engine against it.
import { unusual, type World } from '../contract/worlds.cts';
import type { RunOptions, RunResult } from '../execution/host/host.cts';
import { run } from '../execution/host/run.cts';
import { startSandbox, type LoggedRequest, type Sandbox } from '../sandbox/index.cts';

/** Seeded customers: more than one page of the largest size. */
const CUSTOMERS = 130;

/** A sandbox of a world. */
export class Bench {
	private constructor(
		readonly sandbox: Sandbox,
		readonly world: World,
	) {}

	static async open(world: World): Promise<Bench> {
		const options = { customers: CUSTOMERS, keepAnswers: true, latencyMs: 1, world };
		return new Bench(await startSandbox(options), world);
	}

	/** Runs `resource.operation` of a node; ids in the form are those of the sandbox's state. */
	async run(
		node: string,
		operation: string,
		parameters: Record<string, unknown> = {},
		options: Partial<RunOptions> = {},
	): Promise<RunResult> {
		const form = this.sandbox.shown(parameters) as RunOptions['parameters'];
		return await run(this.sandbox, node, operation, form, options);
	}

	/** The newest request, as people name it. */
	get lastRequest(): string {
		const last = this.sandbox.requests.at(-1);
		return last ? nameOf(last) : 'no request';
	}

	async close(): Promise<void> {
		await this.sandbox.close();
	}
}

const nameOf = ({ method, path, status }: LoggedRequest) => `${method} ${path} → ${status}`;

/** One quick check of a world. It throws an error that says what went wrong. */
export interface Check {
	name: string;
	run(bench: Bench): Promise<void>;
}

/** Ends a check that does not hold. */
export function expectThat(holds: boolean, message: string): asserts holds {
	if (!holds) throw new Error(message);
}

/** The choices of a world that are not the usual ones, for people. */
export function choicesOf(world: World): string {
	return unusual(world)
		.map((name) => `${name}: ${world[name]}`)
		.join('; ');
}
