// Ping, connection details and the scopes of the key (reference: core, Endpoints, Service and company).
import { operation } from '../api';
import { named } from '../api/simplify';
import { resource } from '../engine/form/operation';
import { checkAccess } from './checkAccess';

export const service = resource('service', {
	description: 'The API itself and the scopes of the key',
	operations: [
		operation('checkAccess', {
			action: 'Check what the key may read',
			description:
				"Return one item for each read scope, with whether the API key has it. Write scopes can't be checked.",
			route: 'GET /ping.json',
			shape: { kind: 'list', items: '', key: 'scope' },
			run: checkAccess,
		}),
		operation('getConnection', {
			action: 'Get the connection',
			description:
				'Return your IP address and user agent as the API sees them, the API version and the environment',
			route: 'GET /connection.json',
			simplify: named,
		}),
		operation('ping', {
			action: 'Ping the service',
			description: 'Return the status, environment and response time of the API',
			route: 'GET /ping.json',
		}),
	],
});
