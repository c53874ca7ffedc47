// What the engine is told of this API. All other files of the folder are parts of it.
import { defineApi } from '../engine/base/defineApi';
import { dryRun } from './dryRun';
import { endpoints } from './endpoints';
import { errors } from './errors';
import { lists } from './lists';
import { nameRules } from './names';
import { nodes } from './nodes';
import { VERSION } from './version';

export const platform = defineApi({
	name: 'Platform API',
	package: { name: 'n8n-nodes-platform-api', version: VERSION },
	// The first segment of every path is the version of the API (reference: Versioning).
	credential: { type: 'platformApi', test: 'platformApiTest', basePath: '/2026-02-01' },
	// Core, Ping.
	ping: { route: 'GET /ping.json', isPong: ({ status }) => typeof status === 'string' },
	endpoints,
	errors,
	lists,
	names: nameRules,
	dryRun,
	nodes,
	// The permission constant of a scope (core, Endpoints), such as `WORKFLOW_READ`.
	permissionOf: (scope) => scope.toUpperCase().replace(':', '_'),
});
