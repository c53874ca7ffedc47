// Faults to plant: each is one change of one place in the source, and the tests that must go red.
// `from` stands exactly once in its file; when the code changes, change it here too.

/** One planted fault. */
export interface Mutation {
	/** What the fault is, for people. */
	what: string;
	/** Source file below nodes/. */
	file: string;
	from: string;
	to: string;
	/** Test files below test/, without `.test.cts`. */
	tests: string[];
}

const group = (file: string, tests: string[], changes: Array<[string, string, string]>) =>
	changes.map(([what, from, to]): Mutation => ({ what, file, from, to, tests }));

const table = ['contract/coverage', 'contract/generated'];
const forms = ['unit/values', 'contract/coverage', 'contract/properties'];
const sending = ['execution/retries', 'execution/secrets'];

export const mutations: Mutation[] = [
	...group(
		'shared/form/containers.ts',
		['contract/clearing'],
		[
			[
				'what is left empty is left out',
				'return send.emptyClears && isLeftEmpty(field, value) ? emptied(field, send) : undefined;',
				'return undefined;',
			],
			['a list is cleared by a text', "if (send.type === 'list') return [];", ''],
			[
				'a date is cleared by a text',
				"return type === 'dateTime' || type === 'fixedCollection' ? null : '';",
				"return type === 'fixedCollection' ? null : '';",
			],
		],
	),
	...group(
		'shared/form/containers.ts',
		['execution/areas/contentBox'],
		[
			[
				'automatic mapping without columns sends nothing',
				'if (isAutomatic && columns.size === 0) {',
				'if (false) {',
			],
		],
	),
	...group(
		'shared/form/request.ts',
		['contract/clearing'],
		[
			[
				'null in JSON is refused',
				'if (value === undefined || value === null) continue;',
				'if (value === undefined) continue;',
			],
			['an empty record is made', 'if (operation.makes && isEmpty) {', 'if (false) {'],
		],
	),
	...group(
		'shared/form/ipAddress.ts',
		['unit/formats'],
		[
			['a gap of nothing', 'before + (after ?? 0) < 8', 'before + (after ?? 0) <= 8'],
			['an IPv4 address is embedded anywhere', 'const embeds = mayEmbed &&', 'const embeds ='],
			['a zone is empty', 'const zone = /^[\\d\\w\\-.:]+$/;', 'const zone = /^[\\d\\w\\-.:]*$/;'],
		],
	),
	...group(
		'shared/client/list/matching.ts',
		['execution/find'],
		[
			['reading goes on behind the limit', 'rows.length < end; most', 'true; most'],
			['rows that do not match are kept', 'if (matches(reader.rows[index])) rows', 'rows'],
		],
	),
	...group(
		'shared/client/list/matching.ts',
		['execution/toolAnswers'],
		[
			[
				'an agent is not told of matching rows that are left',
				'const left = Math.max(0, rows.length - end);',
				'const left = 0;',
			],
		],
	),
	...group(
		'shared/client/list/pages.ts',
		['execution/toolAnswers'],
		[
			[
				'rows that came without being announced are not counted',
				'const known = isRead ? total : Math.max(total, count ?? 0);',
				'const known = count ?? 0;',
			],
			[
				'a list that may go on is taken for whole',
				'const open = !isRead && count === undefined;',
				'const open = false;',
			],
		],
	),
	...group(
		'shared/run/item.ts',
		['execution/toolAnswers'],
		[['nodes of a workflow get the note too', 'if (!isTool || (left', 'if ((left']],
	),
	...group(
		'shared/description.ts',
		['execution/toolAnswers', 'unit/tools'],
		[
			[
				'a list gives an agent as much as a workflow',
				'const TOOL_LIMIT = 10;',
				'const TOOL_LIMIT = 50;',
			],
			['a model reads nothing but the action', 'default: tool,', "default: '',"],
		],
	),
	...group(
		'shared/run/listing.ts',
		['execution/find'],
		[['a limit is not said', 'const stopped = left > 0 || open;', 'const stopped = false;']],
	),
	...group(
		'shared/run/listing.ts',
		['execution/envelopes'],
		[
			[
				'the envelope is that of the last page',
				'if (Number(query?.page ?? 1) === 1 && isRecord(body))',
				'if (isRecord(body))',
			],
		],
	),
	...group(
		'Newsletters/recipient.ts',
		['execution/areas/newsletters'],
		[
			[
				'all customers are recipients',
				"value('output') === 'customers' ? undefined",
				'true ? undefined',
			],
			['ids of two types differ', '.has(String(row.id))', '.has(row.id as string)'],
		],
	),
	...group('shared/form/limits.ts', forms, [
		[
			'a limit is one too high',
			'characters(wire) > maxLength)',
			'characters(wire) > maxLength + 1)',
		],
		['a minimum is not checked', 'if (wire < minimum || wire > maximum)', 'if (wire > maximum)'],
		['bytes are not counted', 'if (bytes > maxBytes)', 'if (false)'],
		['keys are not counted', 'if (count > maxProperties)', 'if (false)'],
		['entries are not counted', 'if (wire.length < minItems)', 'if (false)'],
		['formats are not checked', 'if (!test.test(wire)) refuse', 'if (false) refuse'],
	]),
	...group('shared/form/refuse.ts', forms, [
		[
			'a secret is shown',
			"if (field.typeOptions?.password || field.type === 'json') return '';",
			'',
		],
	]),
	...group('shared/form/values.ts', forms, [
		['fractions are whole numbers', 'if (integer && !Number.isInteger(given))', 'if (false)'],
		['any choice is one', 'if (offered.includes(each)) return each;', 'return each;'],
		[
			'text that is cut in half passes',
			'return value.isWellFormed() ? value :',
			'return true ? value :',
		],
		['what is no JSON passes', "type === 'any') return given;", "type === 'any') return value;"],
		[
			'a list of nothing is an empty list',
			'return entries.length > 0 ? entries : undefined;',
			'return entries;',
		],
	]),
	...group(
		'shared/form/dates.ts',
		['unit/values', 'execution/oddValues'],
		[
			[
				'any text is a date',
				'unixTime(Number(value), zone) : isoMoment(',
				'unixTime(Number(value), zone) : parsed(',
			],
			[
				'30 February is 2 March',
				'return moment?.toISODate() === day ? moment : undefined;',
				'return moment;',
			],
			['Unix seconds are milliseconds', '[stamp * 1000, stamp]', '[stamp]'],
			['any number is a date', 'each >= FIRST && each <= LAST', 'each >= 0'],
			['objects are read as text', 'value instanceof Date || moment === value', 'true'],
			[
				'an instant is on the day of UTC',
				'(isInstant ? moment.setZone(timezone) : moment).toISODate();',
				'moment.toISODate();',
			],
			[
				'the day is taken in another zone',
				'(isInstant ? moment.setZone(timezone) : moment).toISODate();',
				'moment.setZone(timezone).toISODate();',
			],
		],
	),
	...group('shared/dotted.ts', forms, [
		[
			'names of a prototype are set',
			'Object.defineProperty(object, name, {',
			'Object.assign(object, { [name]: value }); void ({',
		],
		[
			'a lost sub-key',
			"const [name, ...rest] = dottedKey.split('.');",
			'const [name, ...rest] = [dottedKey];',
		],
		[
			'what stands in the way is passed over',
			"if (value !== undefined && value !== null) blocked?.(names.slice(0, depth).join('.'));",
			'',
		],
	]),
	...group('shared/form/containers.ts', forms, [
		[
			'a required field may be empty',
			'if (field.required || send.emptyFails)',
			'if (send.emptyFails)',
		],
		[
			'formats are not brought into form',
			'return normalise ? normalise(wire) : wire;',
			'return wire;',
		],
		[
			'a field of a collection is dropped',
			'return wireValues(chosen, value, context);',
			'return wireValues(chosen.slice(1), value, context);',
		],
	]),
	...group(
		'shared/path.ts',
		['execution/ids', 'execution/oddValues', ...forms],
		[
			['ids are not encoded', 'encodeURIComponent(ids[name])', 'ids[name]'],
			['.. is an id', "part === '.' || part === '..'", "part === '.'"],
			['.. within an id passes', 'id.split(separators).some', '[id].some'],
			['an id may name another endpoint', 'if (other !== undefined) {', 'if (false) {'],
			[
				'slashes in ids are not decoded',
				'separators.test(ids[name]));\n	const seen',
				"ids[name] === '');\n	const seen",
			],
			['a backslash is no slash', 'const separators = /[\\\\/]/;', 'const separators = /[/]/;'],
			['slashes too many are kept', ".filter((part) => part !== '')", ''],
			['an empty id passes', "if (id.trim() === '') throw", "if (id === 'x') throw"],
		],
	),
	...group(
		'shared/form/request.ts',
		['execution/ids', 'execution/oddValues', ...forms],
		[
			[
				'hidden fields are sent',
				'const fields = shownFields(operation, form);',
				'const fields = operation.fields ?? [];',
			],
			[
				'the root key is lost',
				'root !== undefined) request.body = { [root]: content };',
				'root !== undefined) request.body = content;',
			],
			[
				'an update of nothing is sent',
				"if (method === 'PUT' && isEmpty &&",
				"if (method === 'POST' && isEmpty &&",
			],
			['rules over several fields are not checked', 'operation.check?.(request);', ''],
			[
				'query fields go into the body',
				"method === 'GET' || method === 'DELETE'",
				"method === 'DELETE'",
			],
			[
				'joined JSON breaks the rules of fields',
				'joins ? joined(field, wire, fields, context) : wire',
				'wire',
			],
			[
				'the alternative is never taken',
				'if (!alternative || parameter(alternative.field) !== alternative.is) return own;',
				'return own;',
			],
		],
	),
	...group(
		'shared/client/http/transport.ts',
		['execution/areas/aiGateway'],
		[['a wait does not see the cancelling', 'if (reason !== undefined) throw reason;\n	}', '}']],
	),
	...group(
		'shared/client/http/cancelling.ts',
		['unit/cancelling'],
		[
			['the cancelling ends nothing', 'for (const end of ends) end();', ''],
			['each request listens by itself', 'if (known) return known;', ''],
		],
	),
	...group(
		'shared/client/http/deadlines.ts',
		['unit/deadlines'],
		[
			[
				'requests that begin later end with the earlier ones',
				'this.newest === undefined || Math.abs(now - this.newest.begun) >= SLICE',
				'this.newest === undefined',
			],
			['the end of the time ends nothing', 'for (const end of this.waiting) end();', ''],
			[
				'a clock that is set back stops the time',
				'Math.abs(now - this.newest.begun)',
				'now - this.newest.begun',
			],
			['requests end before their time', ' + SLICE);', ');'],
		],
	),
	...group('shared/client/http/transport.ts', sending, [
		[
			'Retry-After is milliseconds',
			'return Math.max(0, seconds * 1000);',
			'return Math.max(0, seconds);',
		],
		[
			'dates in Retry-After are not read',
			'return Number.isNaN(date) ? undefined : Math.max(0, date - now);',
			'return undefined;',
		],
		['a 401 is sent twice', 'ignoreHttpStatusErrors: true,', ''],
		['redirects are followed', 'disableFollowRedirect: true,', ''],
		['an answer may come drop by drop without end', 'deadline.waiting.add(abort);', ''],
		['cancelling does not end a request', 'cancelled?.add(abort);', ''],
		[
			'what the timeout ended is another failure',
			"if (deadline.isOver) return { failure: 'ETIMEDOUT', timedOut: true, detail: message };",
			'',
		],
		[
			'all wait however long the API asks',
			'spent + this.party.standstill(now, joined) > this.retry.budget;',
			'false;',
		],
		[
			'every failure is repeated',
			"if (!refused && !(repeatable && again === 'repeatable' && ++so.failures < attempts)) {",
			"if (!refused && !(again === 'repeatable' && ++so.failures < attempts)) {",
		],
		[
			'no failure is repeated',
			"if (!refused && !(repeatable && again === 'repeatable' && ++so.failures < attempts)) {",
			'if (!refused) {',
		],
		['one attempt too many', 'const MAX_ATTEMPTS = 5;', 'const MAX_ATTEMPTS = 6;'],
		[
			'no time to wait is no wait',
			'const pause = pauseForAll(result) || backoff(',
			'const pause = pauseForAll(result) ?? backoff(',
		],
		[
			'a pause longer than Retry Time is none for the others',
			'asked === undefined ? undefined : asked || (pause ?? 0),',
			'asked === undefined ? undefined : (pause ?? 0),',
		],
		['a refused request goes behind the others', 'again: so.attempts,', 'again: 0,'],
	]),
	...group(
		'shared/client/http/transport.ts',
		['execution/areas/dns', 'contract/coverage'],
		[['lists in the query get brackets', "arrayFormat: 'repeat',", "arrayFormat: 'brackets',"]],
	),
	...group(
		'shared/client/http/transport.ts',
		['execution/lists'],
		[
			[
				'the credential is decrypted for each request',
				', { credentialsDecrypted: this.connection.credential }',
				'',
			],
		],
	),
	...group(
		'shared/client/http/credential.ts',
		['execution/secrets'],
		[
			[
				'any domain is allowed',
				'if (allowedDomains !== undefined && !isDomainAllowed({ url, allowedDomains })) {',
				'if (false) {',
			],
			[
				'http is good for any host',
				"if (!secure && !(url.protocol === 'http:' && loopback.test(url.hostname))) {",
				"if (!secure && url.protocol !== 'http:') {",
			],
			[
				'the key is no secret',
				'return { url, allowedDomains, credential, secrets: [key] };',
				'return { url, allowedDomains, credential, secrets: [] };',
			],
			[
				'the key keeps its blanks',
				"return String(apiKey ?? '').trim();",
				"return String(apiKey ?? '');",
			],
			['a pasted version is doubled', ".replace(/\\/\\d{4}-\\d{2}-\\d{2}$/, '')", ''],
		],
	),
	...group(
		'shared/client/http/errors.ts',
		['execution/secrets', 'execution/retries', 'execution/items'],
		[
			[
				'nothing is redacted',
				".reduce((shown, secret) => shown.split(secret).join('***'), text);",
				'.reduce((shown) => shown, text);',
			],
			[
				'the item is not named',
				'const item = itemOf(situation);',
				'const item = undefined as string | undefined;',
			],
			[
				'the ids are not named',
				"if (field !== '') return `Nothing",
				"if (field === 'x') return `Nothing",
			],
			[
				'parameters are stored with the error',
				'const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });',
				'const withoutParameters = (node: INode): INode => ({ ...node });',
			],
			['the missing scope is not named', 'return scope\n', 'return scope === null\n'],
			['the doubt about a write is kept back', "(inDoubt ? DOUBT : '')", "(inDoubt ? '' : '')"],
		],
	),
	...group(
		'shared/client/api.ts',
		['execution/items', 'execution/retries', 'execution/faults'],
		[
			[
				'a page in place of an open answer is a result',
				"if (typeof body === 'string' && /^\\s*[<{[]/.test(body)) throw this.unreadable(answer);",
				'',
			],
			['HTML is a file', 'if (/html|json/i.test(type)) throw', 'if (false) throw'],
			[
				'any status is a success',
				'status >= 200 && status <= 299 && message === undefined;',
				'message === undefined;',
			],
			[
				'a repeated deletion that finds nothing is an error',
				'if (isDeletion && answer.failures > 0 && answer.missing) {',
				'if (false) {',
			],
			[
				'every deletion that finds nothing is a success',
				'if (isDeletion && answer.failures > 0 && answer.missing) {',
				'if (isDeletion && answer.missing) {',
			],
			[
				'a write in doubt may be sent by Retry On Fail',
				'if (inDoubt || this.applied) notToBeRepeated.add(error);',
				'if (this.applied) notToBeRepeated.add(error);',
			],
		],
	),
	...group(
		'shared/client/api.ts',
		['execution/previews', 'execution/retries', 'execution/money'],
		[
			[
				'204 after a write is no answer',
				'return isBare ? { ...answer, body: bareAnswer(request) } : answer;',
				'return answer;',
			],
			[
				'204 after a read is a result',
				'const isBare = answer.status === 204 && !onlyReads(request.route);',
				'const isBare = answer.status === 204;',
			],
			[
				'a deletion has no answer of its own',
				"endpoint.kind === 'one' && endpoint.gone ? endpoint.gone(id) : { id, deleted: true };",
				'{ id, deleted: true };',
			],
		],
	),
	...group(
		'shared/client/list/pages.ts',
		['execution/lists', 'execution/pagingFaults'],
		[
			[
				'the limit is not kept',
				'isWhole ? all : all.slice(from, end - start.rows);',
				'isWhole ? all : all.slice(from);',
			],
		],
	),
	...group(
		'shared/client/list/pages.ts',
		['execution/lists', 'execution/pagingFaults', 'execution/listShapes'],
		[
			[
				'the last pages are not read',
				'this.total >= (count ?? 0) && this.number >= (last ?? 0);',
				'this.total >= (count ?? 0) || this.number >= (last ?? 0);',
			],
			[
				'a page is read twice',
				'const page = await this.fetchPage(first + index, isOver);',
				'const page = await this.fetchPage(first, isOver);',
			],
			[
				'more pages than the limit needs',
				'return Math.min(announced, Math.ceil((end - total) / pageSize));',
				'return announced;',
			],
			[
				'missing rows are not told',
				'if (delivered < Math.min(end, count ?? 0) - skip) {',
				'if (false) {',
			],
			[
				'a list that shrinks is not told',
				'if (delivered < limit && this.shrank) {',
				'if (false) {',
			],
			[
				'a list that grows is cut',
				'		this.count = count;\n		this.last = last;',
				'		this.count ??= count;\n		this.last ??= last;',
			],
			[
				'filters are lost',
				'const query = { ...this.request.query };',
				'const query: IDataObject = {};',
			],
		],
	),
	...group(
		'shared/execute.ts',
		['execution/items', 'execution/lists', 'execution/oddValues'],
		[
			[
				'an error item loses its pairing',
				'return { json: { error: error.message, details }, pairedItem: { item: index } };',
				'return { json: { error: error.message, details } };',
			],
			[
				'hints are not shown',
				'for (const message of [...session.warnings, ...foundText(session.found)]) {',
				'for (const message of [] as string[]) {',
			],
			['an error is swallowed', 'if (!this.goesOn) throw error;', ''],
			['Continue does not continue', 'if (!this.goesOn) throw error;', 'throw error;'],
			['results come as they finish', 'return results.flat();', 'return results.reverse().flat();'],
		],
	),
	...group(
		'shared/execute.ts',
		['execution/money', 'execution/items'],
		[
			[
				'what may have been applied is sent again by Retry On Fail',
				'if (Api.mayBeApplied(error)) this.earlierRun?.set(index, error);',
				'',
			],
			['what is done is sent again by Retry On Fail', 'this.earlierRun?.set(index, items);', ''],
		],
	),
	...group(
		'shared/upsert.ts',
		['execution/upsert'],
		[
			[
				'a lost race is an error',
				'const winner = created.status === 409 ? await find() : undefined;',
				'const winner = undefined;',
			],
			[
				'items with one key do not take turns',
				'return await steps.inTurn(keyValue, async () => {',
				'return await steps.inTurn(String(Math.random()), async () => {',
			],
			[
				'what is there is created again',
				'if (known !== undefined) return await change(known);',
				'',
			],
			['a record with another key is updated', 'if (!carries(known, keyValue)) {', 'if (false) {'],
			[
				'one spelling of the key is not known',
				"const KEYS = ['external_id', 'externalId'];",
				"const KEYS = ['external_id'];",
			],
		],
	),
	...group(
		'shared/client/traffic/gate.ts',
		['unit/gate', 'execution/items'],
		[
			[
				'nobody leaves the line',
				'this.dismiss();\n			this.startNext();\n		});',
				'this.startNext();\n		});',
			],
			[
				'a long pause is told a fifth of a second later',
				'// It may be longer than some of them will wait.\n				this.dismiss();',
				'',
			],
			['who joins the line is not asked', 'if (reason !== undefined) throw reason;', ''],
			['nobody holds back for a person', 'now < this.promptUntil', 'false'],
			['what failed stays under way for the pace', 'this.pace.answered(this.used, sent);', ''],
		],
	),
	...group(
		'shared/client/traffic/line.ts',
		['unit/gate', 'execution/items'],
		[
			[
				'one item is served before all others',
				'this.lanes.delete(lane);\n			const first',
				'if (waiting.length === 1) this.lanes.delete(lane);\n			const first',
			],
			['who was refused goes behind', 'if (again > 0) {', 'if (false) {'],
			[
				'who was refused twice goes behind who was once',
				'(other) => (other.again ?? 0) < again',
				'() => false',
			],
		],
	),
	...group(
		'shared/client/traffic/pause.ts',
		['unit/pace', 'execution/retries'],
		[
			['a pause is not kept', 'return Math.max(0, this.notBefore - now);', 'return 0;'],
			['a shorter pause replaces a longer one', 'if (now + pause <= this.notBefore) return;', ''],
			['a standstill never ends', 'this.asked = 0;', ''],
		],
	),
	...group(
		'shared/client/traffic/pace.ts',
		['unit/pace', 'unit/gate', 'execution/retries'],
		[
			['the quota is never learned', 'this.quota = taken;', ''],
			[
				'the rate is never kept to',
				'this.length = length > LONGEST_SPAN ? 0 : length;',
				'this.length = 0;',
			],
			['an hour is kept to', 'length > LONGEST_SPAN ? 0 : length', 'length'],
			[
				'a quota without a length is kept for ever',
				'if (this.length === 0) this.span.trial = 1;',
				'',
			],
			[
				'what is left of a span is its length',
				'const passed = Math.max(this.shutFor, this.span.opened - this.last.opened - SECOND);',
				'const passed = this.shutFor;',
			],
			[
				'the first quota is trusted',
				'this.trusted = length > 0 && difference <= Math.max(1, SAME * this.quota);',
				'this.trusted = length > 0;',
			],
			[
				'nothing is tried once the quota is trusted',
				'Math.max(0, this.rest - passed)',
				'this.rest',
			],
			['every span has a trial', 'Math.min(LONGEST_REST, Math.max(1, 2 * this.resting))', '0'],
			['a trial does not grow', 'if (span.taken >= this.quota + span.trial) span.trial *= 2;', ''],
			[
				'a trial is all at once',
				'new Span(now, rest > 0 ? 0 : 1)',
				'new Span(now, rest > 0 ? 0 : Infinity)',
			],
			['what was under way is no part of the quota', 'this.quota = last.taken;', ''],
			['nothing taken is a quota', 'if (span.taken > 0) {', 'if (span.taken >= 0) {'],
			['a refusal without a pause teaches', 'if (pause <= 0) {', 'if (false) {'],
			[
				'a refusal without a pause holds up the others',
				'if (sent >= this.span.opened) this.span.sent--;',
				'',
			],
			[
				'a span follows at once, however late the API counted the one before',
				'return this.countedBy(last, span.sent - quota) + length;',
				'return 0;',
			],
		],
	),
	...group(
		'shared/form/options.ts',
		['contract/generated', 'execution/items', 'unit/package'],
		[
			[
				'what moves money runs in parallel',
				'return operation.sequential ? 1 : PARALLEL;',
				'return PARALLEL;',
			],
		],
	),
	...group(
		'shared/pickers.ts',
		['execution/pickers'],
		[
			[
				'the search is ignored',
				'searchesItself || `${name} ${value}`.toLowerCase().includes(needle);',
				'true;',
			],
			[
				'the search of the API is not used',
				"if (searchParameter && search !== '') query",
				'if (false) query',
			],
			['only the first page is searched', 'reader.pages < MAX_PAGES', 'reader.pages < 1'],
			[
				'the token is lost',
				'paginationToken: reader.done ? undefined : reader.bookmark,',
				'paginationToken: undefined,',
			],
			['rows that are no choice are offered', '(list.only && !list.only(row))', 'false'],
		],
	),
	...group(
		'shared/editor.ts',
		['execution/pickers'],
		[
			[
				'an empty parent is asked for',
				"if (value === '') return `Choose",
				'if (false) return `Choose',
			],
			['an unresolved parent is asked for', 'if (isUnresolved(value)) return', 'if (false) return'],
		],
	),
	...group(
		'AiGateway/embeddingBatches.ts',
		['unit/embeddingBatches'],
		[
			['65 passages in a batch', 'const MAX_PASSAGES = 64;', 'const MAX_PASSAGES = 65;'],
			['the last batch is lost', 'if (batch.length > 0) batches.push(batch);', ''],
			['an empty passage passes', "if (passage === '') return", "if (passage === 'x') return"],
		],
	),
	...group(
		'shared/endpoints.ts',
		['contract/coverage'],
		[
			[
				'a scope is wrong',
				"'POST /newsletters/{newsletterId}/queue.json': one('newsletters:write')",
				"'POST /newsletters/{newsletterId}/queue.json': one('newsletters:read')",
			],
			[
				'a method is wrong',
				"'PUT /customers/{customerId}.json': one(",
				"'POST /customers/{customerId}.json': one(",
			],
			[
				'an endpoint is missing',
				"	'GET /company/modules.json': list('company_modules:read', { items: '' }),\n",
				'',
			],
		],
	),
	...group(
		'shared/endpoints.ts',
		['execution/faults'],
		[
			[
				'every POST is repeatable',
				"return reads || again !== undefined || (partsOf(route).method !== 'POST' && !acts);",
				'return true;',
			],
			[
				'what acts each time is repeatable',
				"return reads || again !== undefined || (partsOf(route).method !== 'POST' && !acts);",
				"return reads || again !== undefined || partsOf(route).method !== 'POST';",
			],
			[
				'a POST that reads is not repeatable',
				"return reads || again !== undefined || (partsOf(route).method !== 'POST' && !acts);",
				"return again !== undefined || (partsOf(route).method !== 'POST' && !acts);",
			],
			[
				'a charge is repeatable',
				"'POST /customers/{customerId}/charges.json': open('charges:write')",
				"'POST /customers/{customerId}/charges.json': open('charges:write', { reads: true })",
			],
			[
				'pausing is repeatable',
				"lifecycle/pause.json': open(null, {\n		acts: true,",
				"lifecycle/pause.json': open(null, {",
			],
			[
				'the status of a payout is repeatable',
				"		unwrap: 'payout',\n		acts: true,\n",
				"		unwrap: 'payout',\n",
			],
		],
	),
	...group(
		'shared/pool.ts',
		['unit/gate', 'execution/items'],
		[
			['more at a time than allowed', 'running < most()', 'running <= most()'],
			['the pool goes on after a failure', 'next < count && !ended', 'next < count'],
		],
	),
	...group(
		'shared/client/credentialTest.ts',
		['execution/credentialTest'],
		[
			['the key follows a redirect', 'followRedirect: false,', 'followRedirect: true,'],
			[
				'any JSON is a ping',
				"if (!isRecord(body) || typeof body.status !== 'string')",
				'if (!isRecord(body))',
			],
			[
				'a refusal passes',
				'if (status < 200 || status > 299 || message !== undefined) {',
				'if (status > 499) {',
			],
			['the key is shown', 'secrets: [keyOf(data)],', 'secrets: [],'],
			[
				'no answer passes',
				'if (outcome.failure !== undefined) throw failureError(outcome, situation);',
				'if (outcome.failure !== undefined) return;',
			],
		],
	),
	...group(
		'shared/client/http/meaning.ts',
		['execution/retries', 'execution/faults'],
		[
			['429 is final', "		again: 'any',\n", "		again: 'none',\n"],
			[
				'a used up budget is waited for',
				'return isUsedUp(result) ? rules.usedUp : rules.refused;',
				'return rules.refused;',
			],
			[
				'a failed server has answered',
				'if (result.status === 408 || result.status >= 500) return rules.broken;',
				'',
			],
			[
				'408 is an answer',
				'if (result.status === 408 || result.status >= 500) return rules.broken;',
				'if (result.status >= 500) return rules.broken;',
			],
			[
				'what a server broke is in no doubt',
				"the request',\n		again: 'repeatable',\n		doubt: true,",
				"the request',\n		again: 'repeatable',\n		doubt: false,",
			],
			[
				'a redirect is in no doubt',
				"aren't followed\",\n		again: 'none',\n		doubt: true,",
				"aren't followed\",\n		again: 'none',\n		doubt: false,",
			],
			[
				'what was never connected is in doubt',
				"unreachable: { when: 'The connection is refused', again: 'repeatable', doubt: false }",
				"unreachable: { when: 'The connection is refused', again: 'repeatable', doubt: true }",
			],
			[
				'a timeout is final',
				'if (result.timedOut || BROKEN.test(result.failure)) return rules.disconnected;',
				'if (!result.timedOut && BROKEN.test(result.failure)) return rules.disconnected;',
			],
			[
				'a broken connection is final',
				'if (result.timedOut || BROKEN.test(result.failure)) return rules.disconnected;',
				'if (result.timedOut) return rules.disconnected;',
			],
		],
	),
	...group(
		'shared/client/http/answer.ts',
		['execution/faults', 'execution/retries'],
		[
			[
				'an error under status 200 is a result',
				'if (said !== undefined || !failed) return said;',
				'if (!failed) return undefined;\n	if (said !== undefined) return said;',
			],
			['success: false is never an error', '(body.success === false && !reportsSuccess)', 'false'],
			[
				'success: false is always an error',
				'(body.success === false && !reportsSuccess)',
				'body.success === false',
			],
		],
	),
	...group(
		'shared/client/http/answer.ts',
		['execution/retries', 'execution/trigger', 'execution/money', 'execution/upsert'],
		[
			['a page of a proxy says that something is gone', 'return !isPage(body);', 'return true;'],
			[
				'a refusal of the key says that something is gone',
				'if (status === 404 || status === 410) return',
				'if (status >= 400 && status <= 410) return',
			],
			[
				'the documented message of what is absent is not known',
				'return absent !== undefined && message === absent && (status < 300 || SAID.has(status));',
				'return false;',
			],
			[
				'a budget is used up although the API says when to ask again',
				"		answer.headers['retry-after'] === undefined &&\n",
				'',
			],
		],
	),
	...group(
		'shared/client/list/collector.ts',
		['execution/lists', 'execution/pagingFaults'],
		[['rows that come twice are kept', '			else if (alike) {', '			else if (false) {']],
	),
	...group(
		'shared/client/door.ts',
		['execution/secrets'],
		[
			[
				'typed secrets are shown',
				'secrets: [...this.connection.secrets, ...secrets],',
				'secrets: this.connection.secrets,',
			],
			['the key is shown', 'secrets: [...this.connection.secrets, ...secrets],', 'secrets,'],
		],
	),
	...group(
		'shared/client/door.ts',
		['execution/polling', 'execution/trigger'],
		[
			[
				'accounts of one host are the same',
				"return `${host} ${credentials?.[CREDENTIAL]?.id ?? ''}`;",
				'return host;',
			],
		],
	),
	...group(
		'shared/client/door.ts',
		['execution/upsert'],
		[
			[
				'items share no turns',
				'return new Api(transport, this.turns, this.parallel, {',
				'return new Api(transport, new Map(), this.parallel, {',
			],
		],
	),
	...group(
		'Trigger/registration.ts',
		['execution/trigger'],
		[
			[
				'it is always registered',
				'return right.length === target.events.length && surplus.length === 0;',
				'return true;',
			],
			[
				'surplus is not seen',
				'return right.length === target.events.length && surplus.length === 0;',
				'return right.length === target.events.length;',
			],
			[
				'ids are not known',
				'all.filter(({ id, url }) => known.has(id) || isAt(url, target.base));',
				'all.filter(({ url }) => isAt(url, target.base));',
			],
			[
				'addresses are not looked at',
				'all.filter(({ id, url }) => known.has(id) || isAt(url, target.base));',
				'all.filter(({ id }) => known.has(id));',
			],
			[
				'ids of another account are taken',
				'return isSame ? (state.registrations ?? []) : [];',
				'return state.registrations ?? [];',
			],
			[
				'webhooks of others are taken',
				"return `${origin}${pathname.replace(/\\/+$/, '')}`.toLowerCase();",
				'return origin;',
			],
			[
				'a final slash makes another address',
				"return `${origin}${pathname.replace(/\\/+$/, '')}`.toLowerCase();",
				'return `${origin}${pathname}`.toLowerCase();',
			],
			[
				'the case makes another address',
				"return `${origin}${pathname.replace(/\\/+$/, '')}`.toLowerCase();",
				"return `${origin}${pathname.replace(/\\/+$/, '')}`;",
			],
			[
				'a webhook without an id is left alone',
				'(await webhooks.list()).find(isNew)?.id',
				'undefined',
			],
			[
				'a webhook without a token is checked by it',
				'if (target.needsToken && !token) {',
				'if (false) {',
			],
			[
				'an event as text is taken apart',
				'[context.getNodeParameter(name, [])].flat().map(',
				'[...(context.getNodeParameter(name, []) as string)].map(',
			],
			[
				'test listening names the settings of production',
				"context.getActivationMode() === 'manual'",
				'false',
			],
			['nothing is undone', 'await sweep(context, state).catch(() => undefined);', ''],
			['a failure to register is swallowed', '		throw error;\n	});', '	});'],
			['a failure to remove is swallowed', 'if (failures.length > 0) throw failures[0];', ''],
			[
				'the id is forgotten before it is removed',
				'	await webhooks.remove(id);\n	state.registrations = (state.registrations ?? []).filter((each) => each.id !== id);',
				'	state.registrations = (state.registrations ?? []).filter((each) => each.id !== id);\n	await webhooks.remove(id);',
			],
			['any address is public', 'if (isPublic(given)) return given;', 'if (given) return given;'],
			['the secret is guessable', "randomBytes(24).toString('hex')", "'0'.repeat(48)"],
			[
				'only remembered webhooks are removed',
				'const left = (await webhooks.list()).filter(({ url }) => bases.some((each) => isAt(url, each)));',
				'const left: Webhook[] = [];',
			],
			[
				'what was sent is not compared',
				'return values.every((key) => (registration[key] ?? wish[key]) === wish[key]);',
				'return registration.event === wish.event;',
			],
		],
	),
	...group(
		'Trigger/webhooks.ts',
		['execution/trigger'],
		[
			['a wrapped answer has no id', "{ kind: 'one', unwrap: 'webhook' }", "{ kind: 'one' }"],
			[
				'an id as a number is another one than as text',
				"typeof value === 'number' || typeof value === 'string' ? String(value)",
				"typeof value === 'string' ? value",
			],
			['any failure to remove counts as gone', 'if (!answer.missing) api.accept(answer);', ''],
			[
				'only the first page is looked at',
				'await api.list(api.request(LIST));',
				'await api.list(api.request(LIST), { limit: 100 });',
			],
		],
	),
	...group(
		'Trigger/delivery.ts',
		['execution/trigger'],
		[
			[
				'every secret fits',
				"return expected !== '' && timingSafeEqual(digest(given), digest(expected));",
				'return true;',
			],
			[
				'an empty secret fits',
				"return expected !== '' && timingSafeEqual",
				'return timingSafeEqual',
			],
			['the secret is not checked', '		!ours ||\n', ''],
			['the event is not checked', '		registration === undefined ||\n', ''],
			[
				'the token is not checked',
				'		!tokenFits(settings, registration,',
				'		tokenFits(settings, registration,',
			],
			['a refused delivery is answered 200', 'response.status(401)', 'response.status(200)'],
			[
				'a header that repeats the token is on the item',
				"!secrets.some((secret) => secret !== '' && String(value).includes(secret))",
				'secrets.length > 0',
			],
			['an event in lower case is another one', 'String(event).toLowerCase()', 'String(event)'],
			[
				'a slash after the address spoils the secret',
				"String(secret).replace(/\\/$/, '')",
				'String(secret)',
			],
			['the key of the sender is on the item', "	'authorization',\n", ''],
			[
				'the id of a delivery changes',
				'.update(raw)\n			.digest',
				'.update(String(Date.now()))\n			.digest',
			],
		],
	),
	...group(
		'PollingTrigger/poll.ts',
		['execution/polling'],
		[
			[
				'everything is news at first',
				'known !== undefined && known.get(number)?.status !== status;',
				'known?.get(number)?.status !== status;',
			],
			['nothing is remembered', 'memory.seen = { watching: watch.watching, groups };', ''],
			[
				'what is gone is forgotten',
				'if (!after.has(number) && goneSince > dayOf(now - GONE_DAYS * DAY)) {',
				'if (false) {',
			],
			[
				'the chosen statuses are ignored',
				"statuses.size === 0 || statuses.has(status ?? '');",
				'true;',
			],
		],
	),
	...group(
		'shared/address.ts',
		[...table, 'execution/ids'],
		[
			[
				'a country is not checked',
				"send: { as: 'address.country', format: 'country' }",
				"send: { as: 'address.country' }",
			],
			['a field goes to another place', "send: { as: 'address.city' }", "send: { as: 'city' }"],
		],
	),
	...group(
		'Customers/charge.ts',
		[...table, 'execution/retries'],
		[['charges run in parallel', '			sequential: true,', '']],
	),
	...group(
		'ContentBox/content.ts',
		[...table, 'execution/areas/contentBox'],
		[
			[
				'a filter is dropped',
				"						{ ...state, description: 'Return only entries in this state' },\n",
				'',
			],
		],
	),
	...group(
		'shared/run/item.ts',
		['execution/items', 'execution/lists', 'execution/oddValues'],
		[
			[
				'rows of a list lose their pairing',
				'return rows.map((row) => ({ json: toJson(row, shape), pairedItem }));',
				'return rows.map((row) => ({ json: toJson(row, shape) }));',
			],
			[
				'everything is paired with the first item',
				'const pairedItem = { item: index };',
				'const pairedItem = { item: 0 };',
			],
		],
	),
	...group(
		'shared/run/wholeRecord.ts',
		['execution/simplify'],
		[
			[
				'what the write said is lost in the whole record',
				'return { ...record, ...Object.fromEntries(more) };',
				'return { ...record, ...(more.length < 0 ? written : {}) };',
			],
			[
				'a read that fails makes the write fail',
				'if (thrown instanceof Cancelled) throw thrown;',
				'if (thrown instanceof Error) throw thrown;',
			],
		],
	),
	...group(
		'shared/run/item.ts',
		['execution/simplify'],
		[
			['nothing is simplified', 'simplify ? simplify(rows, request) : rows;', 'rows;'],
			[
				"raw data can't be had",
				"isOn(parameter, 'simplify', true)",
				"isOn(() => true, 'simplify', true)",
			],
		],
	),
	...group(
		'shared/simplify.ts',
		['execution/simplify'],
		[
			[
				'a field of the content type hides one of the entry',
				'.filter(([key]) => key in row || key === name);',
				'.filter(([key]) => key === name);',
			],
			[
				'what is no time becomes one',
				"typeof value === 'number' && Math.abs(value) <= MAX_SECONDS",
				'Number(value) > 0',
			],
		],
	),
	...group(
		'shared/operation.ts',
		['unit/defaults'],
		[
			[
				'a new node writes',
				'operations.find(({ route }) => onlyReads(route)) ?? operations[0]',
				'operations[0]',
			],
		],
	),
	...group(
		'Dns/itemPerAnswer.ts',
		['execution/simplify'],
		[['a query without answers is lost', 'if (answers.length === 0) return [item];', '']],
	),
	...group(
		'shared/run/item.ts',
		['execution/secrets'],
		[
			[
				'typed secrets are not redacted',
				'secrets: secretValues(operation.fields ?? [], parameter),',
				'secrets: [],',
			],
		],
	),
	...group(
		'shared/run/earlierRuns.ts',
		['execution/money', 'execution/items'],
		[
			[
				'Retry On Fail sends all again',
				"if (retryOnFail !== true || typeof identity !== 'object' || identity === null) return undefined;",
				'return undefined;',
			],
			[
				'all calls of a tool are one run',
				'return context.isToolExecution() ? context.getInputData()[0]?.json : context.getExecuteData();',
				'return context.getExecuteData();',
			],
		],
	),
	...group(
		'shared/run/stopped.ts',
		['execution/money'],
		[
			[
				'what was done is not told',
				'results.forEach((outputs, index) => done.push(nameOf(index, outputs)));',
				'',
			],
			[
				'the ids of what was done are not told',
				"return ids.length > 0 ? `${index} (ID ${ids.join(', ')})` : String(index);",
				'return String(index);',
			],
			[
				'what may have been applied is not told',
				'filter((index) => index !== error.context?.itemIndex)',
				'filter(() => false)',
			],
			[
				'a run that is tried again tells all of it twice',
				'const { message, description } = plain.get(error) ?? error;',
				'const { message, description } = error;',
			],
		],
	),
	...group(
		'shared/run/parameters.ts',
		['execution/items', 'execution/lists', 'execution/oddValues'],
		[
			[
				'all items get the values of the first',
				'varies ? VARIES : context.getNodeParameter(name, index, null)',
				'context.getNodeParameter(name, index, null)',
			],
			[
				'expressions inside a value are not seen',
				'&& Object.values(raw).some(holdsExpression);',
				'&& false;',
			],
			[
				'a limit of 0 is taken',
				'if (!Number.isInteger(limit) || limit < 1) {',
				'if (!Number.isInteger(limit)) {',
			],
		],
	),
	...group(
		'shared/run/parameters.ts',
		['execution/secrets'],
		[
			[
				'a secret that is a number is not redacted',
				"return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];",
				"return typeof value === 'string' ? [value] : [];",
			],
		],
	),
	...group(
		'shared/client/traffic/gate.ts',
		['unit/gate', 'execution/traffic'],
		[
			[
				'who has the most in flight goes first',
				'one.running - other.running',
				'other.running - one.running',
			],
			['parties do not take turns', 'one.served - other.served', 'other.served - one.served'],
			[
				"a refused request waits behind another party's fresh ones",
				'again || one.running',
				'one.running',
			],
			['who has none in flight has no place', 'const RESERVE = 1;', 'const RESERVE = 0;'],
			['a party takes more than it may', 'if (party.running >= party.most ||', 'if ('],
			['the next is sent before it shows that the run has failed', 'if (ends) this.settle();', ''],
			['a fixed number does not hold', 'Math.floor(this.bound.limit), fixed)', '1)'],
			[
				'a pause of hours is shared',
				'const own = pause > LONGEST_SPAN ? party.pause : undefined;',
				'const own = undefined;',
			],
			[
				'who is cancelled is still sent',
				'stays(next.line.first)) return next;',
				'true) return next;',
			],
			['writes begin where reads are', 'if (writes && ceiling > parallel)', 'if (false)'],
		],
	),
	...group(
		'shared/client/traffic/bound.ts',
		['unit/gate', 'execution/items'],
		[
			['trouble does not slow it down', 'if (troubled) {', 'if (false) {'],
			['no ceiling', 'this.limit = Math.min(ceiling, ', 'this.limit = Math.max(ceiling, '],
			[
				'many executions have no more in flight than one',
				'Math.min(together, next)',
				'Math.min(ceiling, next)',
			],
			[
				'many executions go beyond the ceiling after a refusal too',
				'!this.congested && this.limit <= together',
				'this.limit <= together',
			],
			['more in flight are always worth it', '(this.isWorth(known, ceiling) ? 1 : -1)', '1'],
			['chance speaks against more in flight', 'const CHANCE = 1.03;', 'const CHANCE = 1;'],
			[
				'old trouble is never forgotten',
				'if (now - this.halved < PAST) return;',
				'if (this.halvings > 0) return;',
			],
			[
				'a new party begins anew',
				'this.limit = Math.max(this.limit, start);',
				'this.limit = start;',
			],
			['one slow round is a trend', 'Math.max(TREND, 2 * this.limit)', 'TREND'],
			['what was refused is tried again at once', '&& !this.isResting(now)', ''],
			['what was refused is never tried again', 'now < this.restsUntil && this', 'this'],
			['each rest is as short as the first', '2 * this.rest)', 'this.rest)'],
		],
	),
	...group(
		'shared/client/traffic/growth.ts',
		['unit/gate', 'execution/traffic'],
		[
			['a failure does not halve the writes', 'if (failed && !this.failed) {', 'if (false) {'],
			[
				'writes become more after a failure or a refusal',
				'if (refused || failed) this.growing = false;',
				'',
			],
			['writes never become more', 'this.growing && quick && full', 'false'],
		],
	),
	...group(
		'shared/client/traffic/traffic.ts',
		['unit/traffic', 'execution/traffic'],
		[
			['every key is one API', 'JSON.stringify([url, secrets])', 'JSON.stringify([url])'],
			['nothing is shared', 'gates.get(name) ?? new Gate()', 'new Gate()'],
			['nothing is forgotten', 'if (gate.idle && now - gate.used > MEMORY)', 'if (false)'],
			['what is in use is forgotten', 'gate.idle && now', 'now'],
			['the key is kept', ".digest('base64url');", ".digest('base64url') + String(secrets);"],
		],
	),
	...group(
		'shared/client/list/pages.ts',
		['execution/oddLists'],
		[
			[
				'a service with one page for all is trusted',
				'if (delivered < limit && this.isOnePage) {',
				'if (false) {',
			],
			[
				'a page that is refused is not told',
				'if (delivered < limit && refused !== undefined) {',
				'if (false) {',
			],
		],
	),
	...group(
		'shared/client/api.ts',
		['execution/oddLists'],
		[
			['a wrong key ends a list', 'status < 500 && status !== 401 &&', 'status < 500 &&'],
			[
				'a later page without rows is an error',
				'const rows = rowsOf(body, shape, isLater);',
				'const rows = rowsOf(body, shape);',
			],
		],
	),
	...group(
		'shared/client/http/answer.ts',
		['execution/oddLists'],
		[
			[
				'a missing scope is the end of a list',
				'!/scope|key|token|permission/i.test(message);',
				'true;',
			],
		],
	),
	...group(
		'shared/client/list/pages.ts',
		['execution/slices'],
		[
			[
				'pages are thought to be as long as asked',
				'if (this.isPlaced) return this;',
				'return this;',
			],
			[
				'a short page is the last one',
				'const isLast = last === page + 1 && length === count - rows;',
				'const isLast = length === count - rows;',
			],
			['skipped pages are read', 'const page = Math.floor(skip / pageSize);', 'const page = 0;'],
			['a page more than skipped', 'const from = skip - start.rows;', 'const from = 0;'],
		],
	),
	...group(
		'shared/client/list/collector.ts',
		['execution/slices'],
		[
			[
				'rows are told apart by what is kept of them',
				'if (this.keep) return this.contents[place] === contentOf(row);',
				'if (this.keep) row = this.keep(row);',
			],
		],
	),
	...group(
		'shared/form/outputFields.ts',
		['execution/slices'],
		[
			['lists are not looked into', 'if (Array.isArray(value)) {', 'if (false) {'],
			['what is inherited is a field', 'Object.hasOwn(record, name) ?', 'name in record ?'],
		],
	),
	...group(
		'shared/execute.ts',
		['execution/slices'],
		[['errors lose what they say to Output Fields', 'this.failed.has(index)', 'false']],
	),
	...group(
		'shared/run/item.ts',
		['execution/slices'],
		[
			[
				'the IDs of writes are cut away before an error can tell them',
				'onlyReads(operation.route) ? output?.cut : undefined',
				'output?.cut',
			],
		],
	),
	...group(
		'shared/client/http/transport.ts',
		['execution/traffic'],
		[
			[
				'what has not begun is sent after the run has failed',
				'(isOver() || this.isOver())',
				'isOver()',
			],
			[
				'pages are sent after another one has failed',
				'(isOver() || this.isOver())',
				'this.isOver()',
			],
			[
				'what was only looked up is written after the run has failed',
				'this.hasWritten ||= !onlyReads(route) &&',
				'this.hasWritten ||=',
			],
		],
	),
	...group(
		'shared/form/options.ts',
		['execution/traffic'],
		[
			[
				'writes grow past a number that was set',
				'options.parallel !== undefined && options.ceiling === undefined;',
				'false;',
			],
		],
	),
	...group(
		'AiGateway/knowledgeBases.ts',
		['execution/retriever', 'execution/knowledgeBaseTool'],
		[
			['passages below the minimum score are kept', 'score >= minimum', 'true'],
			['the worst passages come first', 'rank(b) - rank(a)', 'rank(a) - rank(b)'],
		],
	),
	...group(
		'AiGateway/embeddingBatches.ts',
		['execution/ai', 'execution/areas/aiGateway'],
		[
			['a broken request is never sent again', 'request.settings?.retryBroken !== false', 'false'],
			['the order of vectors is that of the answer', 'found.get(index)', 'data[index]'],
		],
	),
];
