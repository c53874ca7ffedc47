// One name for one thing: the names that simplified output has, whatever the API calls them in one response or
// another. They are in snake case, as nearly all names that the API takes, and flat.

/** Where a raw row has something, dotted below a field, and its name in simplified output. */
export const names: Record<string, string> = {
	externalId: 'external_id',
	customerId: 'customer_id',
	next_renewal_date: 'next_renew',
	partner_code: 'code',
	vatNumber: 'vat_number',
	'vies_interrogation.valid': 'vat_valid',
	'address.country': 'country',
	'address.city': 'city',
	'address.address': 'address',
	'address.vat_number': 'vat_number',
	'price.amount': 'price',
	'price.vat.percentage': 'vat_percentage',
	'price.vat.name': 'vat_name',
	'response.input': 'input',
	'response.result.workflow_status': 'workflow_status',
	'response.stages': 'stages',
	'stages.node': 'node_name',
	recordTypes: 'record_types',
	defaultRecordTypes: 'default_record_types',
	'client.userAgent': 'user_agent',
	'client.ips.ipv4': 'ip',
	'endpoint.apiVersion': 'api_version',
	'endpoint.env': 'env',
	'endpoint.protocol': 'protocol',
};

/** The names that the responses to some writes have for the ID of the record itself, which is `id` elsewhere. */
export const ownIds = ['document_id', 'newsletter_id'] as const;
