// Output schema previews against what really comes out: every operation run against the sandbox,
// each item compared with the preview that the package ships.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../sandbox/index.cts';
import { sampleValue, shown, type Form } from '../table/forms.cts';
import { table, type TableEntry } from '../table/operations.cts';
import { credentialOf } from './host/run.cts';
import { runNode } from './host/host.cts';

const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });

const idOf = (entry) => `${entry.node.replace('platform', '')}.${entry.resource.value}.${entry.operation.value}`;

const known: Form = {
	connectionId: 'aic-1',
	contentId: 'cnt-1',
	customerId: 'cus-100001',
	documentId: 'ado-1',
	eventId: 'evt-1',
	feeId: 'fee-1',
	fromCurrency: 'EUR',
	knowledgeBaseId: 'akb-1',
	newsletterId: 'nwl-130',
	partnerId: 'ptn-1',
	payoutId: 'pay-1',
	subscriptionId: 'sub-500001',
	toCurrency: 'USD',
	typeId: 'typ-article',
	vatNumber: 'IT12345670785',
	vectorStoreId: 'avs-1',
	workflowId: 'wfl-1',
	target: 'example.com',
};

const values: Record<string, Form> = {
};

function parametersOf(entry: TableEntry): Form {
	const { fields = [], path } = entry.operation;
	const asked = fields.filter(({ name, required, type }) => type !== 'notice' && (required || path.includes(`{${name}}`)));
	const form = {
		...Object.fromEntries(fields.filter((f) => f.type === 'options').map(({ name, default: d }) => [name, d])),
		...Object.fromEntries(asked.map((field) => {
			const value = known[field.name] ?? sampleValue(field);
			return [field.name, field.type === 'resourceLocator' && typeof value === 'string' ? { __rl: true, mode: 'id', value } : value];
		})),
		...values[idOf(entry)],
	};
	return form;
}

test.each(table.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const sandbox = await startSandbox({ customers: 20 });
	try {
		const result = await runNode({
			node: entry.node,
			credential: credentialOf(sandbox),
			parameters: { resource: entry.resource.value, operation: entry.operation.value, ...parametersOf(entry) } as never,
		});
		expect(result.error?.message).toBeUndefined();
		expect(result.items.length).toBeGreaterThan(0);
		let preview; 
		try { preview = JSON.parse(readFileSync(join(__dirname, '../..', 'nodes', entry.folder, '__schema__/v1.0.0', entry.resource.value, entry.operation.value + '.json'), 'utf8')); } catch { return; }
		for (const { json } of result.items) {
			expect(ajv.validate(preview, json) || ajv.errorsText()).toBe(true);
			expect(Object.keys(preview.properties)).toEqual(expect.arrayContaining(Object.keys(json)));
		}
	} finally {
		await sandbox.close();
	}
});
