// What n8n's scan of a published package checks in its compiled files and its package.json. The
// sources are linted by the default configuration (npm run lint).
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { parser } from 'typescript-eslint';

export default [
	n8nCommunityNodesPlugin.configs.recommended,
	{ rules: { 'no-console': 'error' } },
	{
		files: ['package.json'],
		plugins: { 'n8n-nodes-base': n8nNodesBase },
		rules: n8nNodesBase.configs.community.rules,
		languageOptions: { parser, parserOptions: { extraFileExtensions: ['.json'] } },
	},
];
