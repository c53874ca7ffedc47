// Short forms for tests: a sandbox of a size, and operations of a node run against it.
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.cts';
import { runNode, type RunOptions, type RunResult } from './host.cts';

/** A sandbox for the tests of one file, started before them, ended after; held to the contract. */
export function sandboxFor(options: SandboxOptions = {}): { (): Sandbox } {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ customers: 250, ...options });
	});
	beforeEach(() => {
		sandbox.clearRequests();
	});
	afterEach(() => {
		sandbox.faults.clear();
		sandbox.rateLimit(null);
		const problems = sandbox.problems.splice(0);
		expect(problems).toEqual([]);
	});
	afterAll(async () => {
		await sandbox.close();
	});
	return () => sandbox;
}

/** The credential of a sandbox. */
export const credentialOf = ({ baseUrl, key }: Pick<Sandbox, 'baseUrl' | 'key'>) => ({
	baseUrl,
	apiKey: key,
});

/** Runs `resource.operation` of a node; further options as for `runNode`. */
export async function run(
	sandbox: Pick<Sandbox, 'baseUrl' | 'key'>,
	node: string,
	operation: string,
	parameters: RunOptions['parameters'] = {},
	options: Partial<RunOptions> = {},
): Promise<RunResult> {
	const [resource, name] = operation.split('.');
	return await runNode({
		node,
		credential: credentialOf(sandbox),
		parameters: { resource, operation: name, ...parameters },
		...options,
	});
}

/** An id as a locator holds it. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });
