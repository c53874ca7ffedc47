// Platform Company: the company of the key, public data of others, currencies, and the service itself.
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { actionNode, subtitleOf } from '../shared/description';
import { executeOf } from '../shared/execute';
import { actionHint, ALL } from '../shared/hints';
import { methods } from '../shared/pickers';
import { company } from './company';
import { currency } from './currency';
import { service } from './service';

export const resources = [company, currency, service];

export class PlatformCompany implements INodeType {
	description: INodeTypeDescription = {
		...actionNode(resources),
		displayName: 'Platform Company',
		name: 'platformCompany',
		icon: { light: 'file:../../icons/company.svg', dark: 'file:../../icons/company.dark.svg' },
		version: 1,
		subtitle: subtitleOf(resources),
		description:
			'Get your company profile, look up companies by VAT number, convert currencies and check API key access',
		defaults: { name: 'Platform Company' },
		usableAsTool: true,
		builderHint: actionHint(
			'platformCompany',
			resources,
			'Data of your own company, VAT lookups and currencies. service checkAccess shows the scopes that the key has.',
			ALL,
		),
	};

	methods = methods;

	execute = executeOf(resources);
}
