// Packs the package and starts the n8n that all files of end-to-end tests use; ends with it.
import pack from '../n8n/pack.cts';
import { startSharedN8n } from '../n8n/setting.cts';

declare global {
	/** Ends the n8n for all; jest runs set-up and teardown in one process. */
	var stopSharedN8n: (() => Promise<void>) | undefined;
}

export default async function setUp(): Promise<void> {
	pack();
	globalThis.stopSharedN8n = (await startSharedN8n()).stop;
}
