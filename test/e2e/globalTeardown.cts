import './globalSetup.cts';

export default async function tearDown(): Promise<void> {
	await globalThis.stopSharedN8n?.();
}
