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
		['bytes are not counted', 'if (bytes > limits.maxBytes)', 'if (false)'],
		['entries are not counted', 'if (wire.length > maxItems)', 'if (false)'],
		['formats are not checked', "if (format && wire !== '' &&", "if (!format && wire !== '' &&"],
	]),
	...group('shared/faults.ts', forms, [
		[
			'a secret is shown',
			"if (field.typeOptions?.password || field.type === 'json') return '';",
			'',
		],
	]),
	...group('shared/values.ts', forms, [
		[
			'a required field may be empty',
			'if (field.required || send.emptyFails)',
			'if (send.emptyFails)',
		],
		['fractions are whole numbers', 'if (integer && !Number.isInteger(given))', 'if (false)'],
		['any choice is one', 'if (offered.includes(each)) return each;', 'return each;'],
		[
			'text that is cut in half passes',
			'return value.isWellFormed() ? value :',
			'return true ? value :',
		],
		['what is no JSON passes', "type === 'any') return given;", "type === 'any') return value;"],
		[
			'names of a prototype are set',
			'Object.defineProperty(object, name, {',
			'Object.assign(object, { [name]: value }); void ({',
		],
		[
			'the day is taken in another zone',
			"if (type === 'date') return moment.toISODate();",
			"if (type === 'date') return moment.toUTC().toISODate();",
		],
		['a lost sub-key', "const names = dottedName.split('.');", 'const names = [dottedName];'],
		[
			'a field of a collection is dropped',
			'return wireValues(chosen, value, context);',
			'return wireValues(chosen.slice(1), value, context);',
		],
	]),
	...group(
		'shared/request.ts',
		['execution/ids', 'execution/oddValues', ...forms],
		[
			['ids are not encoded', 'return encodeURIComponent(value);', 'return value;'],
			['.. is an id', "if (value === '.' || value === '..') {", 'if (false) {'],
			['an id may name another endpoint', '	if (other) {', '	if (false) {'],
			['an empty id passes', "if (value.trim() === '') throw", "if (value === 'x') throw"],
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
				'if (root !== undefined) request.body = { [root]: body };',
				'if (root !== undefined) request.body = body;',
			],
			['query fields go into the body', "put(place === 'query' ? query : body,", 'put(body,'],
			[
				'an update of nothing is sent',
				"if (method === 'PUT' && !hasBody &&",
				"if (method === 'POST' && !hasBody &&",
			],
			['rules over several fields are not checked', 'operation.check?.(request);', ''],
			[
				'joined JSON breaks the rules of fields',
				"wireName(field) === '*' ? joined(field, wire as IDataObject, ownFields, context) : wire;",
				'wire;',
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
			'return Date.now() - tries.started + pause > budget ? undefined : pause;',
			'return pause;',
		],
		['no time to wait is no wait', 'refusal?.wait || backoff(', 'refusal?.wait ?? backoff('],
		['a wait does not see the cancelling', 'if (signal?.aborted) throw new Cancelled();\n	}', '}'],
		['a 401 is sent twice', 'ignoreHttpStatusErrors: true,', ''],
		['redirects are followed', 'disableFollowRedirect: true,', ''],
		['the timeout is not set', 'timeout: this.patience.timeout,', ''],
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
		['execution/items', 'execution/retries', 'execution/faults', 'execution/listShapes'],
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
			[
				'a page that an unpaged list refuses is an error',
				'(!takesPages && (status === 400 || status === 422))',
				'false',
			],
			['a refused page of any list is its end', '(!takesPages && (', '(true && ('],
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
		'shared/rows.ts',
		['execution/listShapes'],
		[
			[
				'count 0 without rows is an error',
				'&& body.count === 0 ? [] : undefined;',
				'&& false ? [] : undefined;',
			],
			['no rows are an empty list', '&& body.count === 0 ? [] : undefined;', '? [] : undefined;'],
		],
	),
	...group(
		'shared/collector.ts',
		['unit/pages', 'execution/oddLists'],
		[
			['rows that come twice are kept', 'else if (alike) {', 'else if (false) {'],
			['rows that share an id are dropped', 'else if (alike) {', 'else {'],
			['a row listed twice on a page is dropped', 'if (place >= start)', 'if (false)'],
			['ids that are no identity count', 'this.identifying = alike;', ''],
			[
				'a page that comes again with other times is new',
				'this.lengths.get(first) === page.length &&',
				'false &&',
			],
			['a page without ids that comes again is new', 'this.prints.has(print) ||', ''],
		],
	),
	...group(
		'shared/pages.ts',
		['unit/pages', 'execution/lists', 'execution/oddLists'],
		[
			[
				'a page is read twice',
				'this.fetchPage(first + index);',
				'this.fetchPage(first + index - 1);',
			],
			['the limit is not kept', 'rows.length > limit ? rows.slice(0, limit) : rows', 'rows'],
			[
				'more pages than the limit needs',
				'return Math.min(announced, Math.ceil((limit - total) / pageSize));',
				'return announced;',
			],
			[
				'missing rows are not told',
				'if (delivered < Math.min(limit, count ?? 0)) {',
				'if (false) {',
			],
			[
				'a list that shrinks is not told',
				'if (delivered < limit && this.shrank) {',
				'if (false) {',
			],
			['a list that grows is cut', 'this.count = count;', 'this.count ??= count;'],
			[
				'filters are lost',
				'const query = { ...this.request.query };',
				'const query: IDataObject = {};',
			],
			[
				'what announces nothing ends with its first page',
				"return this.paging === 'none' && !FULL_PAGES.includes(this.newest.rows.length);",
				'return true;',
			],
			[
				'a list without pages that was cut is taken for whole',
				"return this.paging === 'none' && !FULL_PAGES.includes(this.newest.rows.length);",
				"return this.paging === 'none';",
			],
			[
				'pages decide alone',
				'return this.total >= (count ?? 0) && this.number >= (last ?? 0);',
				'return this.number >= (last ?? 0);',
			],
			['rows left out are not told', 'if (overlapping > 0)', 'if (false)'],
			[
				'pages that are not there are not told',
				'if (delivered < limit && count === undefined && nothingSince < last) {',
				'if (false) {',
			],
			['a list is asked for ever', 'return page.rows.length > 0 && !this.ended;', 'return true;'],
			['a bookmark forgets its page', 'page: Number(page) || 0,', 'page: 0,'],
			['a bookmark forgets what was read', 'prints,\n	};', 'prints: [],\n	};'],
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
				'while (next < count && !stopped) {',
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
				'this.lanes.delete(lane);\n			if (waiting.length > 0) this.lanes.set(lane, waiting);',
				'if (waiting.length === 0) this.lanes.delete(lane);',
			],
		],
	),
	...group(
		'shared/pace.ts',
		['unit/pace', 'execution/retries'],
		[
			['a pause is not kept', 'if (now < this.notBefore) return this.notBefore - now;', ''],
			['the rate is never learned', 'if (this.taken > 0) this.quota = this.taken;', ''],
			[
				'the first refusal is a rate',
				'this.sent.length - 1 - this.underWay : -Infinity;',
				'this.sent.length - 1 - this.underWay : 1;',
			],
			[
				'a shorter pause replaces a longer one',
				'this.notBefore = Math.max(this.notBefore, now + pause);',
				'this.notBefore = now + pause;',
			],
			['the rate never grows', 'else this.quota += 1 / (PERIODS_PER_TRIAL * this.quota);', ''],
			[
				'what was under way is no part of the rate',
				'if (now < this.notBefore) this.taken++;\n		else',
				'',
			],
			['all burst into the limit', 'this.sent.push(now);', ''],
			['everything of a burst is a new rate', 'if (now >= this.notBefore) {', 'if (true) {'],
			['a refusal without a pause teaches', 'if (pause <= 0) return;', ''],
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
		['execution/oddLists', 'execution/pickers'],
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
			[
				'only the first page is searched',
				'while (!reader.done && results.size < enough && reader.pages < MAX_PAGES) {',
				'while (reader.pages < 1) {',
			],
			['the token is lost', 'reader.done ? undefined : reader.bookmark', 'undefined'],
			['rows that are no choice are offered', '(list.only && !list.only(fields))', 'false'],
			['rows without a value are offered', 'if (!isShown(value) ||', 'if ('],
			[
				'loaded options are the first page',
				'	while (!reader.done) await reader.read(EDITOR_PARALLEL, EDITOR_PARALLEL);\n	return',
				'	await reader.read(1, 1);\n	return',
			],
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
			['the name is not compared', 'webhook.name === name &&', ''],
			['the events are not compared', 'eventsOf(webhook).join() === event &&', ''],
			[
				'webhooks of others are taken',
				'return given.origin === own.origin && given.pathname === own.pathname;',
				'return given.origin === own.origin;',
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
			['the key of the sender is on the item', "	'authorization',\n", ''],
			[
				'the id of a delivery changes',
				'.update(raw)\n			.digest',
				'.update(String(Date.now()))\n			.digest',
			],
		],
	),
	...group(
		'PollingTrigger/reading.ts',
		['execution/oddLists'],
		[
			['a row without an id spoils the list', 'sightings.size + reading.odd +', 'sightings.size +'],
			['a row on two pages spoils the list', '(isLast ? reading.again : 0)', '0'],
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
];
