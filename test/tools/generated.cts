// The committed files that follow from the operation table and the contract: output schema
// previews, the page of operations, the scopes on the credential page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationsPage, scopesTable } from '../table/pages.cts';
import { table } from '../table/operations.cts';
import { previewOf } from '../table/previews.cts';

/** Root of the repository. */
export const root = join(__dirname, '../..');

/** Version of the nodes that the previews belong to; n8n looks for exactly this folder. */
const NODE_VERSION = 'v1.0.0';

const CREDENTIAL_PAGE = 'docs/credential.md';
const BEGIN = '<!-- scopes: made by `npm run generate`, begin -->';
const END = '<!-- scopes: end -->';

/** The credential page with its generated part as it must be; the rest is written by hand. */
function credentialPage(): string {
	const page = readFileSync(join(root, CREDENTIAL_PAGE), 'utf8');
	const [before, rest] = page.split(BEGIN);
	const after = rest?.split(END)[1];
	if (after === undefined) throw new Error(`${CREDENTIAL_PAGE} lacks ${BEGIN} or ${END}`);
	return `${before}${BEGIN}\n\n<!-- prettier-ignore -->\n${scopesTable()}\n\n${END}${after}`;
}

/** All generated files, text by path below the root. */
export function generatedFiles(): Map<string, string> {
	const previews = table.flatMap((entry): Array<[string, string]> => {
		const preview = previewOf(entry);
		if (!preview) return [];
		const { folder, resource, operation } = entry;
		const path = `nodes/${folder}/__schema__/${NODE_VERSION}/${resource.value}/${operation.value}.json`;
		return [[path, `${JSON.stringify(preview, null, 2)}\n`]];
	});
	return new Map([
		...previews,
		['docs/operations.md', operationsPage()],
		[CREDENTIAL_PAGE, credentialPage()],
	]);
}

/** Previews on disk that belong to no operation any more. */
export function strayFiles(generated: Map<string, string>): string[] {
	return readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' })
		.map((path) => `nodes/${path}`)
		.filter((path) => /\/__schema__\/.*\.json$/.test(path) && !generated.has(path));
}

/** Whether a generated file stands in the repository as it must be. */
export function isCurrent(path: string, text: string): boolean {
	const file = join(root, path);
	return existsSync(file) && readFileSync(file, 'utf8') === text;
}
