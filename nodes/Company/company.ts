// The company of the key, and public data of others (reference: core, Endpoints, Service and company).
import type { Resource } from '../shared/operation';

export const company: Resource = {
	name: 'Company',
	value: 'company',
	operations: [
		{
			name: 'Get',
			value: 'get',
			action: 'Get the company',
			description: 'Return ID and name of the company that the API key belongs to',
			method: 'GET',
			path: '/company.json',
			scope: 'company:read',
			response: { kind: 'one' },
		},
		{
			name: 'Get Intelligence Snapshot',
			value: 'getIntelligenceSnapshot',
			action: 'Get the intelligence snapshot of the company',
			description: 'Return key figures, usage, recent activity and revenue of the company',
			method: 'GET',
			path: '/company/stats/intelligence.json',
			scope: 'company_stats:read',
			response: { kind: 'one' },
		},
		{
			name: 'Get Modules',
			value: 'getModules',
			action: 'Get the modules of the company',
			description: 'Return the modules of the service with price and whether the company has them',
			method: 'GET',
			path: '/company/modules.json',
			scope: 'company_modules:read',
			response: { kind: 'list', items: '' },
		},
		{
			name: 'Look Up by VAT Number',
			value: 'lookUpByVatNumber',
			action: 'Look up a company by VAT number',
			description: 'Return name and address of any company, and whether its VAT number is valid',
			method: 'GET',
			path: '/company/{vatNumber}.json',
			scope: 'companies_open_data:read',
			response: { kind: 'one' },
			fields: [
				{
					displayName: 'VAT Number',
					name: 'vatNumber',
					type: 'string',
					required: true,
					default: '',
					placeholder: 'e.g. IT12345670785',
					description: 'VAT number of the company to look up',
				},
			],
		},
	],
};
