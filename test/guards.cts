// Which tests guard which files below nodes/: the longest beginning of a path counts. Mutation runs them,
// the quickest first.
const table = ['contract/coverage', 'contract/generated'];
const forms = ['unit/values', 'unit/formats', ...table, 'contract/properties', 'contract/clearing'];

export const guards: Readonly<Record<string, readonly string[]>> = {
	'AiGateway/': [
		...table,
		'unit/embeddingBatches',
		'execution/areas/refused',
		'execution/areas/aiGateway',
		'execution/ai',
	],
	'AiGateway/knowledgeBaseSearch': ['execution/retriever', 'execution/knowledgeBaseTool'],
	'Company/': [...table, 'execution/areas/company'],
	'ContentBox/': [
		...table,
		'execution/areas/refused',
		'execution/areas/contentBox',
		'execution/simplify',
	],
	'Customers/': [...table, 'execution/find', 'execution/upsert', 'execution/simplify'],
	'Dns/': [...table, 'execution/areas/dns', 'execution/simplify'],
	'Embeddings/': ['execution/ai'],
	'Identity/': [...table, 'execution/areas/refused', 'execution/areas/identity'],
	'KnowledgeBaseTool/': ['execution/knowledgeBaseTool'],
	'Newsletters/': [...table, 'execution/areas/newsletters', 'execution/simplify'],
	'Partners/': [
		...table,
		'execution/areas/refused',
		'execution/areas/partners',
		'execution/upsert',
	],
	'PollingTrigger/': ['unit/pollingMemory', 'execution/polling', 'execution/pollingDocuments'],
	'RecurringPayments/': table,
	'Retriever/': ['execution/retriever'],
	'Scheduler/': [...table, 'execution/areas/refused', 'execution/areas/scheduler'],
	'Trigger/': ['execution/trigger'],
	'Webhooks/': [...table, 'execution/areas/webhooks', 'execution/wholeRun'],
	'Workflows/': [...table, 'execution/areas/workflows'],
	'shared/': [...table, 'unit/tools', 'execution/items', 'execution/slices'],
	'shared/hints': ['unit/types'],
	'shared/client/': ['execution/items', 'execution/secrets', 'execution/upsert', 'execution/money'],
	'shared/client/api': [
		'execution/lists',
		'execution/listShapes',
		'execution/oddLists',
		'execution/worlds',
		'execution/errors',
	],
	'shared/client/credentialTest': ['execution/credentialTest'],
	'shared/client/http/': [
		'execution/secrets',
		'execution/retries',
		'execution/faults',
		'execution/money',
	],
	'shared/client/http/attempts': ['unit/traffic', 'execution/retries', 'execution/faults'],
	'shared/client/http/transport': ['unit/traffic', 'execution/retries', 'execution/faults'],
	'shared/client/http/response': [
		'execution/faults',
		'execution/retries',
		'execution/errors',
		'execution/trigger',
		'execution/money',
	],
	'shared/client/http/verdict': ['unit/verdict', 'execution/faults', 'execution/retries'],
	'shared/client/http/nextStep': ['execution/errors', 'execution/faults'],
	'shared/client/list/': [
		'execution/lists',
		'execution/find',
		'execution/listShapes',
		'execution/envelopes',
		'execution/pagingFaults',
		'execution/oddLists',
		'execution/slices',
	],
	'shared/client/traffic/': ['unit/rateLimit', 'unit/traffic', 'execution/traffic'],
	'shared/dotted': ['unit/dotted', ...forms],
	'shared/editor': ['execution/pickers'],
	'shared/endpoints': [...table, 'execution/faults'],
	'shared/form/': forms,
	'shared/form/request': [...forms, 'execution/errors'],
	'shared/form/mapper': [...forms, 'execution/areas/contentBox'],
	'shared/form/options': [...table, 'execution/items'],
	'shared/form/outputFields': ['execution/slices'],
	'shared/form/pem': ['execution/areas/aiGateway'],
	'shared/names': [...table, 'execution/simplify'],
	'shared/nearest': ['execution/errors'],
	'shared/path': ['unit/values', 'execution/ids'],
	'shared/pickerLists': ['execution/pickers'],
	'shared/pickers': ['execution/pickers'],
	'shared/run/': ['execution/items', 'execution/money', 'execution/secrets', 'execution/simplify'],
	...Object.fromEntries(
		['decimal', 'idempotency', 'keyStore', 'precheck', 'safetyLimits'].map((file) => [
			`shared/run/${file}`,
			['execution/wholeRun'],
		]),
	),
	'shared/run/sameForAll': ['execution/ai', 'execution/knowledgeBaseTool'],
	'shared/run/item': ['execution/items', 'execution/listShapes', 'execution/simplify'],
	'shared/run/files': ['execution/areas/aiGateway'],
	'shared/run/parameters': ['execution/items', 'execution/secrets', 'execution/slices'],
	'shared/run/allItems': ['execution/items', 'execution/money', 'execution/wholeRun'],
	'shared/run/progress': ['execution/progress'],
	'shared/client/http/dryRun': ['execution/dryRun'],
	'shared/keepNew': ['execution/wholeRun'],
	'shared/run/listing': ['execution/find', 'execution/envelopes', 'execution/toolAnswers'],
	'shared/simplify': ['execution/simplify'],
	'shared/subNode': ['execution/ai', 'execution/retriever'],
	'shared/account': ['execution/trigger', 'execution/polling'],
	'shared/trigger': ['execution/trigger', 'execution/polling'],
	'shared/updates': ['contract/clearing', 'execution/changes'],
	'shared/upsert': ['execution/upsert'],
};

/** The tests that guard a file, such as `Customers/charge.ts`. */
export function testsOf(file: string): readonly string[] {
	const [first] = Object.keys(guards)
		.filter((each) => file.startsWith(each))
		.sort((a, b) => b.length - a.length);
	const tests = first === undefined ? table : guards[first];
	return file.endsWith('.node.ts') ? ['unit/package', ...tests] : tests;
}
