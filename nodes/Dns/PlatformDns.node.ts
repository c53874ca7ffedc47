// Platform DNS: lookups against several resolvers, side by side.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint } from '../shared/hints';
import { methods } from '../shared/pickers';
import { capability } from './capability';
import { lookup } from './lookup';

export const resources = [lookup, capability];

export class PlatformDns implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform DNS',
		name: 'platformDns',
		icon: { light: 'file:../../icons/dns.svg', dark: 'file:../../icons/dns.dark.svg' },
		version: 1,
		subtitle: subtitleOf(resources),
		description: 'Look up DNS records at several resolvers and compare the results',
		defaults: { name: 'Platform DNS' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformDns',
			resources,
			'One lookup asks several resolvers and compares them.',
			['platformCompany'],
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
