// Output schema previews against what really comes out: operations run against the sandbox, each
// item compared with the preview.
import Ajv from 'ajv/dist/2020';
import { startSandbox } from '../sandbox/index.cts';
import { existingForm, keyOf } from '../table/existing.cts';
import { table } from '../table/operations.cts';
import { previewOf } from '../../tools/previews.cts';
import { run } from './host/run.cts';

const ajv = new Ajv({ allowUnionTypes: true, allErrors: true });

/** Fields of the sandbox's content types, in the order of its seeds. */
const contentFields = [
	'teaser',
	'body',
	'author',
	'published_on',
	'source',
	'featured',
	'answer',
	'topic',
	'pinned',
	'department',
	'location',
	'remote',
	'apply_url',
];

/** What the sandbox answers beyond what the reference shows, and no preview may promise. */
const ownToTheSandbox: Record<string, string[]> = {
	// Lifted out of `data`, whose fields are those of the content type.
	'platformContentBox.content.get': contentFields,
	'platformContentBox.content.getAll': contentFields,
	'platformCustomers.customer.get': ['partner'],
	'platformCustomers.customer.getByEmail': ['partner'],
	'platformCustomers.customer.getByExternalId': ['partner'],
	'platformCustomers.customer.getAll': ['partner'],
	'platformNewsletters.newsletter.getStats': ['newsletter'],
	'platformNewsletters.recipient.getAll': ['email'],
};

const tried = table.filter((entry) => previewOf(entry));

test.each(tried.map((entry) => [entry.title, entry] as const))('%s', async (_title, entry) => {
	const { node, resource, operation } = entry;
	const preview = previewOf(entry);
	const sandbox = await startSandbox({ customers: 20 });
	try {
		const form = existingForm(sandbox, entry);
		const name = `${resource.value}.${operation.value}`;
		const { items, error } = await run(sandbox, node, name, form as Record<string, object>);
		expect(error?.message).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		const promised = Object.keys(preview?.properties ?? {});
		const own = ownToTheSandbox[keyOf(entry)] ?? [];
		for (const { json } of items) {
			ajv.validate(preview as object, json);
			expect(ajv.errors ?? []).toEqual([]);
			expect(Object.keys(json).filter((key) => !promised.includes(key))).toEqual(
				own.filter((key) => key in json),
			);
		}
		expect(sandbox.problems).toEqual([]);
	} finally {
		await sandbox.close();
	}
});
