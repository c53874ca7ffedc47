// Packs the package and installs the registry's program, once for all files: they run side by side.
import pack from '../n8n/pack.cts';
import { ensureVerdaccio } from './registry.cts';

export default async function setUp(): Promise<void> {
	pack();
	await ensureVerdaccio();
}
