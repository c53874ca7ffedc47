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
	...group('shared/limits.ts', forms, [
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
	...group('shared/faults.ts', forms, [
		[
			'a secret is shown',
			"if (field.typeOptions?.password || field.type === 'json') return '';",
			'',
		],
	]),
	...group('shared/values.ts', forms, [
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
		'shared/dates.ts',
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
			"if (value !== undefined) blocked?.(names.slice(0, depth).join('.'));",
			'',
		],
	]),
	...group('shared/containers.ts', forms, [
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
		'shared/paths.ts',
		['contract/coverage'],
		[['a path is missing', "	'/webhooks/types.json',\n", '']],
	),
	...group(
		'shared/request.ts',
		['execution/ids', 'execution/oddValues', ...forms],
		[
			[
				'the alternative is never taken',
				'return alternative && parameter(alternative.field) === alternative.is',
				'return alternative && parameter(alternative.field) === undefined',
			],
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
		],
	),
	...group(
		'shared/operation.ts',
		['execution/faults'],
		[
			[
				'every POST is repeatable',
				"return operation.repeatable ?? operation.method !== 'POST';",
				'return operation.repeatable ?? true;',
			],
			[
				'what the table says of repeating is ignored',
				"return operation.repeatable ?? operation.method !== 'POST';",
				"return operation.method !== 'POST';",
			],
		],
	),
	...group('shared/transport.ts', sending, [
		['every fault is repeated', '!(repeatable && isFault(result) &&', '!(isFault(result) &&'],
		['no fault is repeated', '!(repeatable && isFault(result) &&', '!(false && isFault(result) &&'],
		['one fault too many', 'const MAX_FAULTS = 5;', 'const MAX_FAULTS = 6;'],
		[
			'429 is final',
			'if (result.status !== 429 && result.status !== 503) return undefined;',
			'if (result.status !== 503) return undefined;',
		],
		[
			'503 without Retry-After is a refusal',
			'return result.status === 503 && pause === undefined ? undefined : { wait: pause };',
			'return { wait: pause };',
		],
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
		[
			'the budget is ignored',
			'return tries.spent + pause > budget ? undefined : pause;',
			'return pause;',
		],
		['no time to wait is no wait', 'refusal?.wait || backoff(', 'refusal?.wait ?? backoff('],
		['a wait does not see the cancelling', 'if (signal?.aborted) throw new Cancelled();\n	}', '}'],
		['a 401 is sent twice', 'ignoreHttpStatusErrors: true,', ''],
		['redirects are followed', 'disableFollowRedirect: true,', ''],
		[
			'an answer may come drop by drop without end',
			'AbortSignal.any([this.signal, time])',
			'this.signal',
		],
		['cancelling does not end a request', 'AbortSignal.any([this.signal, time])', 'time'],
		[
			'what the timeout ended is another failure',
			"if (time.aborted) return { failure: 'ETIMEDOUT', timedOut: true, detail: message };",
			'',
		],
		['a used up budget is waited for', 'if (isUsedUp(result)) return undefined;', ''],
		[
			'a pause longer than Retry Time is none for the others',
			'refusal && (refusal.wait || (pause ?? 0));',
			'refusal && (pause ?? 0);',
		],
		[
			'all wait however long the API asks',
			'if (spent + pace.standstill(now, joined) > this.patience.budget) {',
			'if (false) {',
		],
		['a refused request goes behind the others', 'again: tries.attempts,', 'again: 0,'],
	]),
	...group(
		'shared/transport.ts',
		['execution/areas/dns', 'contract/coverage'],
		[['lists in the query get brackets', "arrayFormat: 'repeat',", "arrayFormat: 'brackets',"]],
	),
	...group(
		'shared/transport.ts',
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
		'shared/connection.ts',
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
		'shared/errors.ts',
		['execution/secrets', 'execution/retries', 'execution/items'],
		[
			[
				'nothing is redacted',
				".reduce((shown, secret) => shown.split(secret).join('***'), text);",
				'.reduce((shown) => shown, text);',
			],
			[
				'the missing scope is not named',
				'return operation?.scope\n',
				"return operation?.scope === ''\n",
			],
			[
				'the doubt about a write is kept back',
				'return operation && !isRepeatable(operation)',
				'return operation && false',
			],
			[
				'the item is not named',
				"const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;",
				"const item = '';",
			],
			['the ids are not named', 'return ids.length > 0\n', 'return ids.length > 9\n'],
			[
				'parameters are stored with the error',
				'const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });',
				'const withoutParameters = (node: INode): INode => ({ ...node });',
			],
			[
				'an error under status 200 is a result',
				'if (status < 400 && !Object.keys(body).every((key) => ERROR_KEYS.has(key))) return undefined;',
				'if (status < 400) return undefined;',
			],
		],
	),
	...group(
		'shared/api.ts',
		['execution/items', 'execution/retries', 'execution/faults'],
		[
			[
				'any status is a success',
				'if (status >= 200 && status <= 299 && errorMessage(body, status) === undefined) return answer;',
				'if (errorMessage(body, status) === undefined) return answer;',
			],
			[
				'a repeated deletion that finds nothing is an error',
				"if (request.method === 'DELETE' && outcome.faults > 0 && missing) {",
				'if (false) {',
			],
			[
				'every deletion that finds nothing is a success',
				"if (request.method === 'DELETE' && outcome.faults > 0 && missing) {",
				"if (request.method === 'DELETE' && missing) {",
			],
			[
				'a page in place of an open answer is a result',
				"if (typeof body === 'string' && /^\\s*[<{[]/.test(body)) throw this.unreadable(answer);",
				'',
			],
			['HTML is a file', 'if (/html|json/i.test(type)) throw', 'if (false) throw'],
			[
				'a write in doubt may be sent by Retry On Fail',
				'if ((inDoubt || this.applied) && !this.repeatable()) doubtful.add(error);',
				'',
			],
		],
	),
	...group(
		'shared/api.ts',
		['execution/areas/identity', 'execution/areas/workflows'],
		[
			[
				'success: false is never an error',
				'if (response.flagged && isRecord(body) && body.success === false) {',
				'if (false) {',
			],
		],
	),
	...group(
		'shared/pages.ts',
		['execution/lists', 'execution/pagingFaults'],
		[
			[
				'the last page is not read',
				'const pages = new Array<Page>(Math.max(0, announced - 1));',
				'const pages = new Array<Page>(Math.max(0, announced - 2));',
			],
			[
				'a page is read twice',
				'pages[index] = await readPage(index + 2);',
				'pages[index] = await readPage(index + 1);',
			],
			[
				'the limit is not kept',
				'rows: rows.length > limit ? rows.slice(0, limit) : rows,',
				'rows,',
			],
			[
				'more pages than the limit needs',
				'Math.min(first.last ?? 1, Math.ceil(limit / pageSize))',
				'(first.last ?? 1)',
			],
			[
				'rows that come twice are kept',
				'if (this.seen.has(id)) this.repeated++;\n',
				'if (false) this.repeated++;\n',
			],
			['missing rows are not told', 'rows.length < wanted\n', 'rows.length < 0\n'],
			[
				'a list that shrinks is not told',
				'if (!warning && shrank && rows.length < limit) {',
				'if (false) {',
			],
			[
				'a list that grows is cut',
				'if (page.last !== undefined && last !== undefined) last = Math.max(last, page.last);',
				'',
			],
			['filters are lost', 'const query = { ...request.query };', 'const query: IDataObject = {};'],
		],
	),
	...group(
		'shared/execute.ts',
		['execution/items', 'execution/lists', 'execution/oddValues'],
		[
			[
				'rows of a list lose their pairing',
				'return rows.map((row) => ({ json: toJson(row, response), pairedItem }));',
				'return rows.map((row) => ({ json: toJson(row, response) }));',
			],
			[
				'everything is paired with the first item',
				'const pairedItem = { item: index };',
				'const pairedItem = { item: 0 };',
			],
			[
				'an error item loses its pairing',
				'return { json: { error: error.message, details }, pairedItem: { item: index } };',
				'return { json: { error: error.message, details } };',
			],
			[
				'an error is swallowed',
				'if (!goesOn || error instanceof Cancelled) throw error;',
				'if (error instanceof Cancelled) throw error;',
			],
			[
				'Continue does not continue',
				'if (!goesOn || error instanceof Cancelled) throw error;',
				'throw error;',
			],
			[
				'results come as they finish',
				'return [results.flat()];',
				'return [results.reverse().flat()];',
			],
			[
				'Retry On Fail sends all again',
				'if (context.getNode().retryOnFail !== true) return undefined;',
				'return undefined;',
			],
			[
				'hints are not shown',
				'for (const message of session.warnings) {',
				'for (const message of [] as string[]) {',
			],
			[
				'all items get the values of the first',
				'(holdsExpression(raw) ? own : constants).set(name, value);',
				'constants.set(name, value);',
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
		'shared/execute.ts',
		['execution/secrets'],
		[
			[
				'typed secrets are not redacted',
				'secrets: [...transport.connection.secrets, ...secretValues(operation.fields ?? [], parameter)],',
				'secrets: [...transport.connection.secrets],',
			],
			[
				'a secret that is a number is not redacted',
				"return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];",
				"return typeof value === 'string' ? [value] : [];",
			],
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
				'what is there is created again',
				'if (known !== undefined) return await update(known);',
				'',
			],
			[
				'items with one key do not take turns',
				'return await steps.inTurn(keyValue, async () => {',
				'return await steps.inTurn(String(Math.random()), async () => {',
			],
		],
	),
	...group(
		'shared/gate.ts',
		['unit/gate', 'execution/items'],
		[
			['more at a time than allowed', 'Math.min(count, parallel)', 'Math.min(count, parallel + 1)'],
			[
				'the pool goes on after a failure',
				'while (next < count && failures.length === 0) {',
				'while (next < count) {',
			],
			['trouble does not slow it down', 'if (troubled) {', 'if (false) {'],
			[
				'no ceiling',
				'this.limit = Math.min(this.ceiling, ',
				'this.limit = Math.max(this.ceiling, ',
			],
			[
				'one item is served before all others',
				'this.lanes.delete(lane);\n		if (waiting.length > 0) this.lanes.set(lane, waiting);',
				'if (waiting.length === 0) this.lanes.delete(lane);',
			],
			['who was refused goes behind', 'if (again > 0) {', 'if (false) {'],
			[
				'who was refused twice goes behind who was once',
				'(other) => (other.again ?? 0) < again',
				'() => false',
			],
			[
				'nobody leaves the line',
				'this.dismiss();\n			this.startNext();\n		});',
				'this.startNext();\n		});',
			],
			[
				'a long pause is told a fifth of a second later',
				'this.pace.refused(Date.now(), sent, pause);\n				// It may be longer than some of them will wait.\n				this.dismiss();',
				'this.pace.refused(Date.now(), sent, pause);',
			],
			['who joins the line is not asked', 'turn.stay?.();', ''],
			['what failed stays under way for the pace', 'this.pace.answered(sent);', ''],
		],
	),
	...group(
		'shared/pace.ts',
		['unit/pace', 'execution/retries'],
		[
			['a pause is not kept', 'if (now < this.notBefore) return this.notBefore - now;', ''],
			['a shorter pause replaces a longer one', 'if (now + pause <= this.notBefore) return;', ''],
			['the quota is never learned', 'this.quota = this.taken;', ''],
			[
				'the rate is never kept to',
				'this.span = span > LONGEST_SPAN ? 0 : span;',
				'this.span = 0;',
			],
			['an hour is kept to', 'span > LONGEST_SPAN ? 0 : span', 'span'],
			[
				'what is left of a span is its length',
				'const passed = Math.max(this.pause, this.opened - this.before - SECOND);',
				'const passed = this.pause;',
			],
			[
				'the first quota is trusted',
				'this.trusted = this.span > 0 && difference <= Math.max(1, SAME * this.quota);',
				'this.trusted = this.span > 0;',
			],
			[
				'nothing is tried once the quota is trusted',
				'Math.max(0, this.rest - passed)',
				'this.rest',
			],
			['every span has a trial', 'Math.min(LONGEST_REST, Math.max(1, 2 * this.resting))', '0'],
			['a trial does not grow', 'if (this.taken >= this.quota + this.trial) this.trial *= 2;', ''],
			[
				'a trial is all at once',
				'this.trial = rest > 0 ? 0 : 1;',
				'this.trial = rest > 0 ? 0 : Infinity;',
			],
			[
				'what was under way is no part of the quota',
				'if (sent >= this.measured) this.quota++;',
				'',
			],
			['nothing taken is a quota', 'if (this.taken > 0) {', 'if (this.taken >= 0) {'],
			['a refusal without a pause teaches', 'if (pause <= 0) return;', ''],
			['a standstill never ends', 'this.asked = 0;', ''],
		],
	),
	...group(
		'shared/settings.ts',
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
		'shared/locators.ts',
		['execution/pickers'],
		[
			[
				'the search is ignored',
				'searchesItself || `${name} ${value}`.toLowerCase().includes(needle);',
				'true;',
			],
			[
				'the search of the API is not used',
				"if (list.searchParameter && search !== '') query",
				'if (false) query',
			],
			[
				'only the first page is searched',
				'let next = Number(paginationToken ?? 1);',
				'let next = 1;',
			],
			[
				'the token is lost',
				'return { results, paginationToken: String(next) };',
				'return { results };',
			],
			['rows that are no choice are offered', 'if (list.only && !list.only(row)) return [];', ''],
		],
	),
	...group(
		'shared/editor.ts',
		['execution/pickers'],
		[
			[
				'an empty parent is asked for',
				"if (value === undefined || value === null || value === '') {",
				'if (false) {',
			],
		],
	),
	...group(
		'shared/embeddingBatches.ts',
		['unit/embeddingBatches'],
		[
			['65 passages in a batch', 'const MAX_PASSAGES = 64;', 'const MAX_PASSAGES = 65;'],
			['the last batch is lost', 'if (batch.length > 0) batches.push(batch);', ''],
			['an empty passage passes', "if (passage === '') return", "if (passage === 'x') return"],
		],
	),
	...group(
		'shared/credentialTest.ts',
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
				'if (status < 200 || status > 299 || errorMessage(body, status) !== undefined)',
				'if (status > 499)',
			],
			['the key is shown', "secrets: [String(data.apiKey ?? '')]", 'secrets: []'],
			[
				'no answer passes',
				"if ('failure' in outcome) throw failureError(outcome, situation);",
				"if ('failure' in outcome) return;",
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
				'what was sent is not compared',
				'(registration[key] ?? wish[key]) === wish[key],',
				"key !== 'event' || registration[key] === wish[key],",
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
			['an event as text is taken apart', '[given].flat().map(', '[...(given as string)].map('],
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
		],
	),
	...group(
		'Trigger/webhooks.ts',
		['execution/trigger'],
		[
			['any failure to remove counts as gone', 'if (!reply.missing) api.accept(reply);', ''],
			[
				'only the first page is looked at',
				'readList(request, shape, Infinity, page, 5)',
				'readList(request, shape, 100, page, 5)',
			],
			['a wrapped answer has no id', "{ kind: 'one', unwrap: 'webhook' }", "{ kind: 'one' }"],
			[
				'an id as a number is another one than as text',
				"typeof value === 'number' || typeof value === 'string' ? String(value)",
				"typeof value === 'string' ? value",
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
		'Customers/customer.ts',
		[...table, 'execution/ids'],
		[
			[
				'an update is a POST',
				"			method: 'PUT',\n			path: '/customers/{customerId}.json',",
				"			method: 'POST',\n			path: '/customers/{customerId}.json',",
			],
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
		[
			['a charge is repeatable', '			sequential: true,', '			sequential: true,\n			repeatable: true,'],
			['charges run in parallel', '			sequential: true,', ''],
		],
	),
	...group(
		'Customers/subscription.ts',
		['execution/faults'],
		[['pausing is repeatable', '			repeatable: false,\n', '']],
	),
	...group(
		'ContentBox/content.ts',
		[...table, 'execution/areas/content-box'],
		[['a filter is dropped', "						{ ...state, description: 'Only entries in this state' },\n", '']],
	),
	...group(
		'Partners/payout.ts',
		[...table, 'execution/areas/partners'],
		[['the status of a payout is repeatable', '			repeatable: false,\n', '']],
	),
	...group(
		'Newsletters/newsletter.ts',
		[...table, 'execution/areas/newsletters'],
		[
			[
				'a scope is wrong',
				"queue.json',\n			scope: 'newsletters:write'",
				"queue.json',\n			scope: 'newsletters:read'",
			],
		],
	),
	...group(
		'shared/client/gate.ts',
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
			[
				'a fixed number does not hold',
				'this.limit, fixed)',
				'fixed * 0 + this.limit)',
			],
			['a party takes more than it may', 'if (party.running >= party.most ||', 'if ('],
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
		'shared/client/bound.ts',
		['unit/gate'],
		[
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
		],
	),
	...group(
		'shared/client/growth.ts',
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
		'shared/client/traffic.ts',
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
		'shared/client/pages.ts',
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
		'shared/client/collector.ts',
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
		'shared/client/outputFields.ts',
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
		'shared/client/transport.ts',
		['execution/traffic'],
		[
			[
				'what has not begun is sent after the run has failed',
				'if (this.party.over && !this.begun) throw new Stopped();',
				'',
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
];
