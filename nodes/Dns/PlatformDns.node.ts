// Platform DNS: lookups at several resolvers.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { capability } from './capability';
import { lookup } from './lookup';

export const resources = [lookup, capability];

export class PlatformDns implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformDns',
			resources,
			'One lookup asks several resolvers and compares them.',
			['platformCompany'],
		),
		icon: { light: 'file:../../icons/dns.svg', dark: 'file:../../icons/dns.dark.svg' },
		subtitle: subtitleOf(resources),
		description: 'Look up DNS records at several resolvers and compare the results',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
