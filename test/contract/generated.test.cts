// The committed files that are derived from the operation table and the contract.
import { table } from '../table/operations.cts';
import { previewOf } from '../../tools/previews.cts';
import { generatedFiles, isCurrent } from '../../tools/generate.cts';
import { expectNone } from '../none.cts';

test('generated files are as the operation table and the contract say', () => {
	const files = generatedFiles();
	const stale = [...files].filter(([path, text]) => !isCurrent(path, text)).map(([path]) => path);
	expectNone(
		stale.map((path) => `${path} is stale: run \`npm run generate\``),
		'Run `npm run generate`, and look at the diff of:',
	);
});

// What is in them: test/execution/previews.
test('output schema previews are there for all operations but those whose answer the reference does not show', () => {
	const without = table.filter((entry) => !previewOf(entry)).map(({ title }) => title);
	expect(without.sort()).toEqual([
		'Platform Customers › Charge › Create',
		'Platform Customers › Subscription › Pause',
		'Platform Customers › Usage › Get History',
	]);
});
