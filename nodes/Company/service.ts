// The service itself: whether it answers, how it sees the caller, what the key may read
// (reference: core, Endpoints, Service and company).
import type { Resource } from '../shared/operation';
import { checkAccess } from './checkAccess';

export const service: Resource = {
	name: 'Service',
	value: 'service',
	operations: [
		{
			name: 'Check Access',
			value: 'checkAccess',
			action: 'Check what the key may read',
			description:
				'Return one item for each read scope: whether the API key has it and what the API answered',
			notice:
				'Only reads are sent. Write scopes are left out: they cannot be checked without changing something.',
			route: 'GET /ping.json',
			shape: { kind: 'list', items: '', key: 'scope' },
			run: checkAccess,
		},
		{
			name: 'Get Connection',
			value: 'getConnection',
			action: 'Get the connection',
			description: 'Return how the service sees the caller, and its API version and environment',
			route: 'GET /connection.json',
		},
		{
			name: 'Ping',
			value: 'ping',
			action: 'Ping the service',
			description: 'Return status, environment and response time of the service',
			route: 'GET /ping.json',
		},
	],
};
