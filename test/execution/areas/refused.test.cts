// What single operations refuse before anything is sent, beyond what holds for every field.
import { told } from '../host/host.cts';
import { byId, run, sandboxFor } from '../host/run.cts';

const sandbox = sandboxFor({ customers: 20 });

const knowledgeBaseId = byId('akb-3');
const remote = { knowledgeBaseId, name: 'Terms', contentType: 'text/markdown' };
const vectors = { vectorStoreId: byId('avs-1'), embeddingConnectionId: byId('aic-2') };

/** Forms that would be sent. */
const forms: Record<string, object> = {
	'AiGateway.knowledgeBase.search': { knowledgeBaseId, query: 'refund' },
	'AiGateway.knowledgeBase.create': { name: 'Contracts', retrievalMode: 'vector', ...vectors },
	'AiGateway.document.add': { knowledgeBaseId, name: 'Notes', content: 'First.' },
	'AiGateway.document.ingest': { ...remote, url: 'https://files.example.com/a.md?signature=abc' },
	'AiGateway.embedding.create': { connectionId: byId('aic-2'), passages: 'one' },
	'AiGateway.vectorStore.rotateKey': { vectorStoreId: byId('avs-1'), apiKey: 'vk-secret-4' },
	'ContentBox.content.update': { contentId: byId('cnt-1'), dataInput: 'json' },
	'ContentBox.contentType.update': { typeId: byId('typ-article') },
	'Dns.lookup.runWithResolvers': { target: 'example.com', resolversAs: 'json' },
	'ContentBox.contentType.create': { title: 'Banner', fieldsInput: 'json' },
	'Identity.passkey.verify': { externalUserId: 'user-2', challengeId: 'chl' },
	'Identity.passkey.confirmRegistration': { externalUserId: 'user-2', challengeId: 'chl' },
	'Partners.payout.updateStatus': { payoutId: byId('pay-1') },
	'Scheduler.event.create': { title: 'Review', scheduleDate: '2031-05-02' },
	'Scheduler.event.getAll': {},
};

const more = (additionalFields: object) => ({ additionalFields });
const members = (count: number) =>
	JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_each, key) => [key, 1])));
const headline = { key: 'headline', label: 'Headline', type: byId('string') };
const access = '"Access List (JSON)" must name who can see the document';
const labelled = '"Fields (JSON)" must have a label and a type for the field "headline"';

type Refusal = [operation: string, changes: object, message: string];

test.each<Refusal>([
	// What would search without a restriction.
	...['["group:a", " "]', '[null]'].map((principals): Refusal => [
		'AiGateway.knowledgeBase.search',
		more({ principals }),
		'"Principals (JSON)" must not have empty entries',
	]),
	[
		'AiGateway.knowledgeBase.search',
		more({ principals: '={{ $json.groups }}' }),
		'"Principals (JSON)" must not be empty',
	],
	[
		'AiGateway.knowledgeBase.search',
		more({ principals: '{"group":"people"}' }),
		'"Principals (JSON)" must be a JSON array',
	],
	[
		'AiGateway.knowledgeBase.create',
		{ retrievalMode: 'lexical', ...more({ contentStorageMode: 'vector_store_payload' }) },
		'"Content Storage" can only be the vector store if Retrieval Mode is Vector',
	],
	// It could make the document public, which only an empty list says on purpose.
	...['null', '""', '" "', '0', 'false', '{}', '["group:a", ""]', '[0]', '[{}]'].flatMap(
		(acl): Refusal[] => [
			[
				'AiGateway.document.add',
				more({ acl }),
				['{}', 'null'].includes(acl) ? 'must not be empty' : access,
			],
			['AiGateway.document.add', more({ metadata: `{"acl": ${acl}}` }), 'who can see the document'],
			[
				'AiGateway.document.ingest',
				more({ metadata: `{"acl": ${acl}}` }),
				'"Metadata (JSON)" must',
			],
		],
	),
	['AiGateway.document.add', more({ acl: '={{ $json.readers }}' }), 'must not be empty'],
	[
		'AiGateway.document.add',
		more({ metadata: members(20), page: '1' }),
		'"Metadata (JSON)" must have at most 20 fields (got 21)',
	],
	[
		'AiGateway.document.add',
		more({ metadata: JSON.stringify({ note: 'é'.repeat(4096) }) }),
		'"Metadata (JSON)" must have at most 8192 bytes',
	],
	['AiGateway.document.add', more({ metadata: '[1]' }), '"Metadata (JSON)" must be a JSON object'],
	[
		'AiGateway.document.ingest',
		{ url: 'https://u:p@files.example.com/a' },
		'"URL" must be an https:// URL',
	],
	['AiGateway.document.ingest', { sourceType: '' }, '"Source (JSON)" must not be empty'],
	[
		'AiGateway.document.ingest',
		more({ metadata: '{"ok":1,"tags":["a"]}' }),
		'must only have text, number, boolean and null values (see tags)',
	],
	['AiGateway.embedding.create', { passages: '={{ ["a", ""] }}' }, 'empty (passage 2 of 2)'],
	['AiGateway.embedding.create', { passages: '={{ [{ a: 1 }] }}' }, '"Passages" must be text'],
	// A rotation never drops the private certificate in silence.
	...[{}, { certificateAuthority: 'private' }].map((how): Refusal => [
		'AiGateway.vectorStore.rotateKey',
		{ caCertificate: '={{ "" }}', ...how },
		'"CA Certificate" must not be empty',
	]),
	[
		'ContentBox.contentType.create',
		{ fieldsInput: 'fields', fields: { field: [headline, headline] } },
		'"Fields" must not have the same name twice',
	],
	['ContentBox.contentType.create', { fieldsJson: '{"headline": {"type": "string"}}' }, labelled],
	[
		'ContentBox.contentType.create',
		{ fieldsJson: '{"headline": {"label": "", "type": "string"}}' },
		labelled,
	],
	['ContentBox.contentType.create', { fieldsJson: '{"headline": "string"}' }, labelled],
	['ContentBox.contentType.create', { fieldsJson: '{}' }, 'must have at least 1 field'],
	[
		'ContentBox.contentType.update',
		{ updateFields: { title: 'Banner', fieldsJson: '={{ ({}) }}' } },
		'"Fields (JSON)" must not be empty, and the expression {{ ({}) }} gives nothing',
	],
	[
		'ContentBox.content.update',
		{ dataJson: '={{ ({}) }}', updateFields: { title: 'Banner' } },
		'"Data (JSON)" must not be empty, and the expression {{ ({}) }} gives nothing',
	],
	['ContentBox.content.update', {}, '"Update Fields" is empty'],
	['Dns.lookup.runWithResolvers', { resolversJson: '={{ [] }}' }, 'must not be empty'],
	['ContentBox.contentType.create', { fieldsJson: '[]' }, '"Fields (JSON)" must be a JSON object'],
	...[
		{ sentinelId: 's', userAgent: 'u', ip: 'here' },
		{ format: 'legacy', eventIp: 'here' },
	].map((form): Refusal => [
		'Identity.risk.assessSession',
		form,
		'"IP Address" must be an IP address',
	]),
	...['7', '["x"]', 'true', 'null'].flatMap((given) =>
		['Identity.passkey.verify', 'Identity.passkey.confirmRegistration'].map(
			(operation): Refusal => [operation, { payload: `={{ ${given} }}` }, '"Payload" must'],
		),
	),
	['Partners.payout.updateStatus', { status: '={{ "" }}' }, '"Status" must not be empty'],
	['Scheduler.event.create', more({ endDate: '2031-05-01' }), '"End" must not be before Start'],
	...[
		['2031-05-02', '2031-05-01'],
		['2031-05-02T09:00:00Z', '2031-05-02T08:00:00Z'],
	].map(([start, end]): Refusal => [
		'Scheduler.event.getAll',
		{ start, end },
		'"End" must not be before Start',
	]),
])('%s with %j', async (operation, changes, message) => {
	const [node, ...name] = operation.split('.');
	const form = { ...forms[operation], ...changes };
	const { error } = await run(sandbox(), `platform${node}`, name.join('.'), form);
	expect(told(error)).toContain(message);
	expect(told(error)).not.toContain('vk-secret');
	expect(sandbox().requests).toEqual([]);
});
