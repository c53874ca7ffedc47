// `npm run check scan`: what n8n's scan of a published package checks in its compiled files and its package.json, and
// n8n's lint of the forms as n8n gets them, however they were put together. The sources are linted by `n8n-node lint`.
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { nodes } from '../test/table/operations.cts';

const root = join(__dirname, '..');

/** Rules of the forms that the package breaks on purpose, or that read more into a text than it says. */
const BROKEN = [
	// Names come first, JSON last.
	'node-param-collection-type-unsorted-items',
	// A tool gives 10 rows.
	'node-param-default-wrong-for-limit',
	// A payout has no status until somebody says so.
	'node-param-default-wrong-for-options',
	'node-param-operation-option-action-miscased',
	'node-param-operation-option-description-wrong-for-get-many',
	'node-param-placeholder-missing-email',
	'node-param-required-false',
	'node-param-resource-with-plural-option',
];

async function packageFaults(): Promise<string[]> {
	const { n8nCommunityNodesPlugin } = await import('@n8n/eslint-plugin-community-nodes');
	// It has no types.
	const n8nNodesBase = require('eslint-plugin-n8n-nodes-base') as {
		configs: { community: { rules: object } };
	};
	const { parser } = await import('typescript-eslint');
	const eslint = new ESLint({
		cwd: root,
		overrideConfigFile: true,
		allowInlineConfig: false,
		overrideConfig: [
			n8nCommunityNodesPlugin.configs.recommended,
			{ rules: { 'no-console': 'error' } },
			{
				files: ['package.json'],
				plugins: { 'n8n-nodes-base': n8nNodesBase },
				rules: n8nNodesBase.configs.community.rules,
				languageOptions: { parser, parserOptions: { extraFileExtensions: ['.json'] } },
			},
		] as never,
	});
	const results = await eslint.lintFiles(['dist', 'package.json']);
	if (results.length < nodes.length) throw new Error('dist is not built');
	return results.flatMap(({ filePath, messages }) =>
		messages.map(({ message, line }) => `${filePath}:${line} ${message}`),
	);
}

async function formFaults(): Promise<string[]> {
	const forms = nodes.map(({ description }) => description.properties);
	const text = `export const forms = ${JSON.stringify(forms, null, 1).replace(/"(\w+)":/g, '$1:')};\n`;
	const filePath = join(root, 'nodes/Dns/forms.ts');
	const [{ messages }] = await new ESLint({ cwd: root }).lintText(text, { filePath });
	const isBroken = (rule: string | null) => BROKEN.includes(String(rule).split('/').at(-1) ?? '');
	// Where none of these is broken, nothing was looked at.
	if (!messages.some(({ ruleId }) => isBroken(ruleId))) throw new Error('No form was linted');
	return messages
		.filter(({ ruleId }) => !isBroken(ruleId))
		.map(({ ruleId, message, line }) => `${text.split('\n')[line - 1]} ${message} (${ruleId})`);
}

async function scan(): Promise<void> {
	const faults = [...(await packageFaults()), ...(await formFaults())];
	for (const fault of faults) console.error(fault);
	process.exitCode = faults.length > 0 ? 1 : 0;
}

void scan();
