// Short forms for tests: a sandbox of a size, and operations of a node run against it.
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/index.cts';
import { runNode, told, type RunOptions, type RunResult } from './host.cts';
import { useLeapingTime } from './leapingTime.cts';

/**
 * A sandbox for the tests of one file, started before them, ended after; held to the contract.
 * @param time `real` where files are read and mails are written, of which leaping time knows nothing
 */
export function sandboxFor(
	options: SandboxOptions = {},
	time: 'leaping' | 'real' = 'leaping',
): { (): Sandbox } {
	if (time === 'leaping') useLeapingTime();
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ customers: 250, ...options });
	});
	beforeEach(() => {
		// What the test before has left behind doesn't reach this one.
		sandbox.renewKey();
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

/** A sandbox and the operations of one node, for the tests of its area. `usual` stands in every form. */
export function areaOf(node: string, options: SandboxOptions = {}, usual: object = {}) {
	const sandbox = sandboxFor({ customers: 20, ...options });
	const runIn = async (operation: string, parameters: object = {}, more: object = {}) =>
		await run(sandbox(), node, operation, { ...usual, ...parameters }, more);
	const rowsOf = async (...call: Parameters<typeof runIn>) => {
		const { items, error } = await runIn(...call);
		if (error) throw error;
		return items.map(({ json }) => json);
	};
	return {
		sandbox,
		run: runIn,
		/** The JSON of all items. An error is thrown. */
		rowsOf,
		/** The JSON of the first item. */
		one: async (...call: Parameters<typeof runIn>) => (await rowsOf(...call))[0],
		/** What the editor shows of the error. */
		faultOf: async (...call: Parameters<typeof runIn>) => told((await runIn(...call)).error),
		/** What the sandbox received: bodies, and methods with paths. */
		bodies: () => sandbox().requests.flatMap(({ body }) => (body ? [body as IDataObject] : [])),
		sent: () => sandbox().requests.map(({ method, path }) => `${method} ${path}`),
	};
}
