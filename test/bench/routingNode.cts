// The same three operations as a declarative node, which n8n's routing engine runs.
import { NodeConnectionTypes, type INodeProperties, type INodeType } from 'n8n-workflow';
import { PAGE_SIZE, VERSION } from './work.cts';

const operation: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	default: 'list',
	options: [
		{
			name: 'List',
			value: 'list',
			routing: {
				request: { method: 'GET', url: '/customers.json' },
				send: { paginate: true },
				operations: {
					pagination: {
						type: 'generic',
						properties: {
							continue: '={{ $response.body.pages.current < $response.body.pages.max }}',
							request: {
								qs: {
									size: PAGE_SIZE,
									page: '={{ ($response.body?.pages.current ?? 0) + 1 }}',
								},
							},
						},
					},
				},
				output: {
					postReceive: [{ type: 'rootProperty', properties: { property: 'elements' } }],
				},
			},
		},
		{
			name: 'Read',
			value: 'read',
			routing: {
				request: { method: 'GET', url: '=/customers/{{ $parameter.customerId }}.json' },
			},
		},
		{
			name: 'Create',
			value: 'create',
			routing: {
				request: {
					method: 'POST',
					url: '/customers.json',
					body: { customer: { email: '={{ $parameter.email }}', company_name: 'Example' } },
				},
			},
		},
	],
};

const text = (name: string): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
});

export class RoutingNode implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Routing',
		name: 'routing',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Routing' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'platformApi', required: true }],
		requestDefaults: { baseURL: `={{ $credentials.baseUrl }}${VERSION}`, json: true },
		properties: [operation, text('customerId'), text('email')],
	};
}
