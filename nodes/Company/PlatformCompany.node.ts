// Platform Company: your company, VAT lookups, currencies, and the API itself.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, methods } from '../api';
import { ALL } from '../api/nodes';
import { executeOf } from '../engine/node/execute';
import { subtitleOf } from '../engine/node/nodeHead';
import { company } from './company';
import { currency } from './currency';
import { service } from './service';

export const resources = [company, currency, service];

export class PlatformCompany implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(
			'platformCompany',
			resources,
			'Data of your own company, VAT lookups and currencies. service checkAccess shows the scopes that the key has.',
			ALL,
		),
		icon: { light: 'file:../../icons/company.svg', dark: 'file:../../icons/company.dark.svg' },
		subtitle: subtitleOf(resources),
		description:
			'Get your company profile, look up companies by VAT number, convert currencies and check API key access',
		usableAsTool: true,
	};

	methods = methods;

	execute = executeOf(resources);
}
