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
			route: 'GET /company.json',
		},
		{
			name: 'Get Intelligence Snapshot',
			value: 'getIntelligenceSnapshot',
			action: 'Get the intelligence snapshot of the company',
			description: 'Return key figures, usage, recent activity and revenue of the company',
			route: 'GET /company/stats/intelligence.json',
		},
		{
			name: 'Get Modules',
			value: 'getModules',
			action: 'Get the modules of the company',
			description: 'Return the modules of the service with price and whether the company has them',
			route: 'GET /company/modules.json',
		},
		{
			name: 'Look Up by VAT Number',
			value: 'lookUpByVatNumber',
			action: 'Look up a company by VAT number',
			description: 'Return name and address of any company, and whether its VAT number is valid',
			route: 'GET /company/{vatNumber}.json',
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
