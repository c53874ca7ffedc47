// Lint of everything that is written here: what n8n's own lint, which reads only `.ts` and keeps its default
// configuration, doesn't look at.
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig([
	globalIgnores(['dist', 'examples', 'coverage', '.n8n', '.n8n-demo', '**/node_modules']),
	{
		files: ['**/*.{ts,cts,js,cjs,mjs}'],
		languageOptions: { parser: tseslint.parser },
		plugins: { '@typescript-eslint': tseslint.plugin },
		linterOptions: { noInlineConfig: true },
		rules: {
			complexity: ['error', 20],
			'max-params': ['error', 4],
			'no-unused-expressions': 'error',
			'no-unreachable': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/no-unused-vars': [
				'error',
				{ argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
			],
		},
	},
	{
		files: ['**/*.{ts,cts}'],
		languageOptions: {
			parserOptions: { project: ['tsconfig.json', 'test/tsconfig.json'] },
		},
		rules: {
			'@typescript-eslint/no-floating-promises': 'error',
			'@typescript-eslint/no-misused-promises': 'error',
			'@typescript-eslint/await-thenable': 'error',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					paths: [
						{
							name: 'zod',
							allowTypeImports: true,
							message: 'It may be another copy than that of n8n: see nodes/ApiTool/zod.ts.',
						},
					],
				},
			],
		},
	},
	{
		// The short form of a run: a service, a node, an operation, a form, and options.
		files: ['test/**'],
		rules: { 'max-params': ['error', 5] },
	},
]);
