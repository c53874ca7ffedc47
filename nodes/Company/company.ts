// Your company, and public data of others (reference: core, Endpoints, Service and company).
import { get, operation } from '../api';
import { named } from '../api/simplify';
import { text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';

export const company = resource('company', {
	description: 'Your company, and others by VAT number',
	operations: [
		get({
			action: 'Get the company',
			description: 'Return the ID and name of your company',
			route: 'GET /company.json',
		}),
		operation('getIntelligenceSnapshot', {
			action: 'Get the intelligence snapshot of the company',
			description: 'Return key figures, usage, recent activity and revenue of your company',
			route: 'GET /company/stats/intelligence.json',
		}),
		operation('getModules', {
			action: 'Get the modules of the company',
			description: "Return modules with price and whether they're active",
			route: 'GET /company/modules.json',
			...filteredBy('modules', {
				active: {
					isToggle: true,
					description: "Whether to return only active modules. If off, only those that aren't.",
				},
			}),
		}),
		operation('lookUpByVatNumber', {
			action: 'Look up a company by VAT number',
			description: 'Return the name and address of a company, and whether its VAT number is valid',
			route: 'GET /company/{vatNumber}.json',
			simplify: named,
			fields: [
				text({
					name: 'vatNumber',
					required: true,
					placeholder: 'e.g. IT12345670785',
				}),
			],
		}),
	],
});
