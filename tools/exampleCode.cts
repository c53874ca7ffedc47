// The examples as code of n8n's workflow SDK, which AI builders read and write.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateWorkflowCode, type WorkflowJSON } from '@n8n/workflow-sdk';
import type { WorkflowJson } from '../test/n8n/client.cts';

const FOLDER = join(__dirname, '../examples');

/** All examples, by the names of their files. */
export const examples = readdirSync(FOLDER)
	.filter((file) => file.endsWith('.json'))
	.map((file) => ({
		name: file.replace(/\.json$/, ''),
		workflow: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as WorkflowJson,
	}));

/** Nodes that are lost on the way to code: those behind a Merge that only error outputs feed. */
export const lost: Record<string, string[]> = {
	'03-bill-monthly-usage': ['Row and reason', 'Save failed rows'],
};

/** A workflow as code. */
export const exampleCode = (workflow: WorkflowJson): string =>
	generateWorkflowCode(workflow as unknown as WorkflowJSON);
