// Faults to plant by hand: what costs users most, which is money that moves twice, a secret that gets out,
// and rows that are lost. Each is one change of one place in the source, and the tests that must go red.
// `from` stands exactly once in its file. When the code changes, change it here too.

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

const money: Mutation[] = [
	...group(
		'engine/client/http/errors.ts',
		['execution/secrets', 'execution/retries', 'execution/items', 'execution/money'],
		[
			['the doubt about a write is kept back', "inDoubt ? DOUBT : ''", "inDoubt ? '' : ''"],
			[
				'an update whose first attempt may have worked is told as refused',
				'const earlier = earlierAttempt(outcome, context);',
				"const earlier = '';",
			],
		],
	),
	...group(
		'engine/client/http/transport.ts',
		['execution/money', 'execution/wholeRun', 'execution/ledger'],
		[
			['a write in doubt may be sent by Retry On Fail', 'this.isInDoubt ||= inDoubt;', ''],
			[
				'a write that was on its way when its run was cancelled counts as refused',
				"if (this.isInDoubt || this.isInFlight) return 'inDoubt';",
				"if (this.isInDoubt) return 'inDoubt';",
			],
			[
				'a request that went through is sent again after an error of later steps',
				"return this.isApplied ? 'applied' : 'notApplied';",
				"return 'notApplied';",
			],
		],
	),
	...group(
		'engine/run/allItems.ts',
		['execution/money', 'execution/ledger', 'execution/runAgain'],
		[
			[
				'what may have been applied is sent again by Retry On Fail',
				"if (ledger && earlier === 'inDoubt' && !this.isLeftToKeys(index)) throw this.doubtOf(index);",
				'',
			],
			['what is done is sent again', "if (ledger && earlier === 'done') {", 'if (false) {'],
			[
				'a run that failed leaves no ledger',
				"if (ending === 'done' && !this.mayBeTriedAgain) ledger.close();",
				'ledger.close();',
			],
		],
	),
	...group(
		'engine/form/options.ts',
		['contract/generated', 'execution/items', 'unit/package'],
		[
			[
				'what moves money runs in parallel',
				'const { sequential = false } = operation;',
				'const sequential = false;',
			],
		],
	),
	...group(
		'Customers/charge.ts',
		['contract/coverage', 'contract/generated', 'execution/retries'],
		[['charges run in parallel', '\t\t\tsequential: true,', '']],
	),
	...group(
		'engine/base/definition.ts',
		['execution/faults'],
		[
			[
				'every POST is repeatable',
				'return reads || again !== undefined || (isSafe && !acts);',
				'return true;',
			],
			[
				'what acts each time is repeatable',
				'return reads || again !== undefined || (isSafe && !acts);',
				'return reads || again !== undefined || isSafe;',
			],
		],
	),
	...group(
		'api/endpoints.ts',
		['execution/faults'],
		[
			[
				'a charge is repeatable',
				"'POST /customers/{customerId}/charges.json': one('charges:write', { untyped: true })",
				"'POST /customers/{customerId}/charges.json': one('charges:write', { untyped: true, reads: true })",
			],
		],
	),
	...group(
		'engine/client/http/verdict.ts',
		['execution/retries', 'execution/faults', 'execution/money'],
		[
			[
				'what a server broke is in no doubt',
				"retry: 'repeatable',\n\t\tinDoubt: true,\n\t\toverload: true,\n\t\tapplies: status(/^(408",
				"retry: 'repeatable',\n\t\tinDoubt: false,\n\t\toverload: true,\n\t\tapplies: status(/^(408",
			],
			[
				'an error beside a result counts as surely not applied',
				'inDoubt: true,\n\t\tapplies: (result) => result.failure === undefined && result.isPartlyDone,',
				'applies: (result) => result.failure === undefined && result.isPartlyDone,',
			],
		],
	),
	...group(
		'api/errors.ts',
		[
			'execution/faults',
			'execution/retries',
			'execution/trigger',
			'execution/money',
			'execution/upsert',
		],
		[
			[
				'an error under status 200 is a result',
				"if (typeof documented === 'string' && documented !== '') return documented;",
				'',
			],
			[
				'an error that the reference does not show is a result',
				"return error === true || isUnusual || isFilled(errors) || success === 'false';",
				'return false;',
			],
		],
	),
	...group(
		'engine/client/http/exchange.ts',
		[
			'execution/faults',
			'execution/retries',
			'execution/trigger',
			'execution/money',
			'execution/upsert',
		],
		[
			[
				'any status is a success',
				"if (status >= 200 && status <= 299 && message === undefined) return 'success';",
				"if (message === undefined) return 'success';",
			],
			[
				'a refusal of the key says that something is gone',
				'if (status === 404 || status === 410) return',
				'if (status >= 400 && status <= 410) return',
			],
		],
	),
	...group(
		'api/upsert.ts',
		['execution/money', 'execution/upsert'],
		[
			[
				'a second record is made where the lookup gives a list',
				'const rows = Array.isArray(response) ? response : [inner(response, root)].filter(isFilled);',
				'const rows = [inner(response, root)].filter(isFilled);',
			],
			[
				'a create by email in doubt is forgotten',
				"if (steps.writes.outcome === 'notApplied') made.delete(lock);",
				'made.delete(lock);',
			],
		],
	),
	...group(
		'engine/run/ledger.ts',
		['execution/money', 'execution/ledger', 'execution/runAgain'],
		[
			[
				'Retry On Fail sends all again',
				'this.readEarlier();\n\t}\n\n\t/** Another',
				'}\n\n\t/** Another',
			],
			['what was done is not told', "if (state === 'done') done.push(index);", ''],
			[
				'what was in doubt is not told',
				"if ((state === 'inDoubt' || isLive) && index !== except) inDoubt.push(index);",
				'',
			],
			['the sums of a loop are forgotten', 'book.items += limited.length;', ''],
		],
	),
	...group(
		'engine/run/runMark.ts',
		['execution/ledger', 'execution/runAgain'],
		[
			[
				'a second Retry is not noticed',
				'if (known.size > 0) throw this.refusal(retriedText(execution));',
				'',
			],
			['a crash is not noticed', 'if (marks.size === 0) return;', 'return;'],
			['a release holds for ever', 'if (before.size > 0) throw this.refusal(RELEASED);', ''],
		],
	),
	...group(
		'engine/run/wholeRecord.ts',
		['execution/simplify', 'execution/money'],
		[
			[
				'another record is taken for the one that was written',
				'String(record[by]) !== String(id)',
				'false',
			],
			[
				'a read that fails makes the write fail',
				'if (thrown instanceof Cancelled) throw thrown;',
				'if (thrown instanceof Error) throw thrown;',
			],
		],
	),
];

const secrets: Mutation[] = [
	...group(
		'engine/form/limits.ts',
		['unit/values', 'contract/coverage', 'contract/properties'],
		[['a secret is shown', "if (isSecret(field) || field.type === 'json') return '';", '']],
	),
	...group(
		'engine/client/http/credential.ts',
		['execution/secrets', 'execution/credentialTest'],
		[
			[
				'any domain is allowed',
				'if (allowedDomains !== undefined && !isDomainAllowed({ url, allowedDomains })) {',
				'if (false) {',
			],
			[
				'http is good for any host',
				"protocol !== 'https:' && !(protocol === 'http:' && loopback.test(hostname))",
				"protocol !== 'https:' && protocol !== 'http:'",
			],
		],
	),
	...group(
		'engine/client/http/errorContext.ts',
		['execution/secrets', 'execution/retries', 'execution/items'],
		[
			[
				'parameters are stored with the error',
				'const withoutParameters = (node: INode): INode => ({ ...node, parameters: {} });',
				'const withoutParameters = (node: INode): INode => ({ ...node });',
			],
		],
	),
	...group(
		'engine/run/parameters.ts',
		['execution/errors'],
		[
			[
				'what was sent in a secret field is told',
				"field.type !== 'json' && !isSecret(field)",
				"field.type !== 'json'",
			],
			[
				'the password of a URL is told',
				'const isOpen = text.length <= SHOWN && !/',
				'const isOpen = text.length <= SHOWN || !/',
			],
		],
	),
	...group(
		'engine/client/http/redact.ts',
		['execution/secrets'],
		[
			['nothing is redacted', "each.replace(secret, '***')", 'each'],
			['a secret is hidden as it is only', '[...part].map(anyEncodingOf)', '[escaped(part)]'],
			['a secret in Base64 is shown', 'parts.flatMap(base64Forms)', '[] as string[]'],
			[
				'a secret with something before it in Base64 is shown',
				'return [...exact, ...inner];',
				'return exact;',
			],
			['the key of a header in Base64 is shown', '[secret, `Bearer ${secret}`]', '[secret]'],
			['a secret that was cut off is shown', "text.includes('…')", 'false'],
			['a part of a secret is shown', '.flatMap(secretParts)', ''],
		],
	),
	...group(
		'AiGateway/documentSource.ts',
		['execution/secrets'],
		[
			[
				'a signed URL is shown',
				", format: 'httpsSource', secret: true }",
				", format: 'httpsSource' }",
			],
		],
	),
	...group(
		'engine/client/door.ts',
		['execution/secrets'],
		[
			[
				'typed secrets are shown',
				'secrets: secrets.length > 0 ? [...key, ...secrets] : key,',
				'secrets: key,',
			],
			['the key is shown', 'secrets: secrets.length > 0 ? [...key, ...secrets] : key,', 'secrets,'],
		],
	),
	...group(
		'engine/run/prepare.ts',
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
		'engine/client/credentialTest.ts',
		['execution/credentialTest'],
		[
			['the key follows a redirect', 'followRedirect: false,', 'followRedirect: true,'],
			['the key is shown', 'secrets: [keyOf(data)],', 'secrets: [],'],
		],
	),
	...group(
		'engine/client/http/exchange.ts',
		['execution/faults'],
		[['redirects are followed', 'disableFollowRedirect: true,', '']],
	),
	...group(
		'AiGateway/document.ts',
		['execution/areas/refused'],
		[
			[
				'an empty access list makes a document public',
				'if (!hasEmptyAccessList(request)) return;',
				'return;',
			],
		],
	),
	...group(
		'engine/run/sameForAll.ts',
		['execution/ai'],
		[
			[
				'the principals of the first item are those of all',
				'if (JSON.stringify(first) === JSON.stringify(own)) return undefined;',
				'return undefined;',
			],
		],
	),
	...group(
		'engine/run/sameForAll.ts',
		['execution/toolValues'],
		[
			[
				'AI Agent 3 charges the first customer for every item',
				'if (other) {',
				'if (other === null) {',
			],
		],
	),
	...group(
		'ApiTool/policy.ts',
		['execution/toolkit'],
		[
			['a charge in doubt is sent again', 'book.done[key] = { inDoubt: true };', ''],
			['calls side by side exceed Max Total', 'book[place] = String(before + own);', ''],
			[
				"a limit that can't hold is left out for MCP clients",
				'if (!isLasting(context)) checkPlace(context, policy, changes);',
				'',
			],
		],
	),
	...group(
		'ApiTool/catalog.ts',
		['execution/toolkit'],
		[['reads of an area change data', "(offer === 'all' || !changes)", 'true']],
	),
	...group(
		'engine/run/toolValues.ts',
		['execution/toolValues'],
		[
			[
				'what a model leaves empty is cleared',
				'return !field.required && !guards && !isChoice && isBlank(value) ? undefined : value;',
				'return value;',
			],
		],
	),
	...group(
		'Trigger/secrets.ts',
		['execution/trigger'],
		[['the secret is guessable', "randomBytes(BYTES).toString('hex')", "'0'.repeat(48)"]],
	),
	...group(
		'Trigger/present.ts',
		['execution/trigger'],
		[['a webhook of another address is removed', 'mayBe(url, registration.url)', 'true']],
	),
	...group(
		'Trigger/present.ts',
		['execution/triggerOwnership'],
		[
			['a webhook of a copied workflow is removed', ' && hasMark(each.url, mark)', ''],
			[
				'what the list lacks is gone',
				'await lookUp(door, unlisted, mayRefuse)',
				'await lookUp(door, [], mayRefuse)',
			],
		],
	),
	...group(
		'Trigger/unsaved.ts',
		['execution/triggerPublishing'],
		[
			[
				'a secret counts although another process registered anew',
				'|| other.at < each.at',
				'|| true',
			],
		],
	),
	...group(
		'Trigger/delivery.ts',
		['execution/trigger'],
		[
			[
				'a delivery without the secret is accepted',
				"if (accepted === 'unknown') return refuse(context, UNAUTHORIZED);",
				'',
			],
		],
	),
	...group(
		'Trigger/delivery.ts',
		['execution/triggerRequests'],
		[['what is no text is read', "typeof value === 'string' ? value : ''", 'String(value)']],
	),
	...group(
		'Trigger/headers.ts',
		['execution/trigger'],
		[
			[
				'a header that repeats the token is on the item',
				'(tokenHash !== undefined && hasToken(value, tokenHash))',
				'false',
			],
		],
	),
	...group(
		'engine/base/path.ts',
		['execution/ids', 'unit/values', 'contract/coverage', 'contract/properties'],
		[['an id may name another endpoint', 'if (other !== undefined) {', 'if (false) {']],
	),
];

const lists: Mutation[] = [
	...group(
		'engine/client/list/matching.ts',
		['execution/find'],
		[
			[
				'rows that do not match are kept',
				'if (isRecord(row) && wanted.matches(row)) rows',
				'if (isRecord(row)) rows',
			],
		],
	),
	...group(
		'engine/client/list/pages.ts',
		[
			'execution/lists',
			'execution/pagingFaults',
			'execution/listShapes',
			'execution/slices',
			'execution/oddLists',
		],
		[
			[
				'the limit is not kept',
				'isUncut ? all : all.slice(from, wantedEnd - start.rows);',
				'isUncut ? all : all.slice(from);',
			],
			[
				'a page is read twice',
				'this.pageAt(pageNumber + 1 + index, {',
				'this.pageAt(pageNumber + 1, {',
			],
			[
				'Skip past the end is an error where such pages are refused',
				'await this.pageAt(this.start.page + 1, { isSkippedTo: true });',
				'await this.pageAt(this.start.page + 1);',
			],
			[
				'a reader that goes on does not know that the list is at its end',
				'rows: position, pageSize, isExtra, prints };',
				'rows: position, pageSize, isExtra: false, prints };',
			],
			[
				'the last page sent for those behind it is taken for one of them',
				'if (await this.repeatsPage(page, first)) return this.add({ rows: [] });',
				'',
			],
		],
	),
	...group(
		'engine/client/list/listState.ts',
		['execution/lists', 'execution/pagingFaults', 'execution/listShapes', 'execution/oddLists'],
		[
			[
				'the last pages are not read',
				'return this.position < (this.count ?? 0) || this.pageNumber < (this.last ?? 0);',
				'return this.position < (this.count ?? 0) && this.pageNumber < (this.last ?? 0);',
			],
			[
				'a count of one page is the total',
				'if (count === undefined || count < this.position) return;',
				'if (count === undefined) return;',
			],
		],
	),
	...group(
		'engine/client/list/warning.ts',
		['execution/oddLists', 'execution/lists', 'execution/pagingFaults'],
		[
			['missing rows are not told', 'if (delivered < count - before) return', 'if (false) return'],
			['a service with one page for all is trusted', 'if (isOnePage(state)) {', 'if (false) {'],
		],
	),
	...group(
		'engine/client/list/collector.ts',
		['execution/lists', 'execution/pagingFaults'],
		[['rows that come twice are kept', 'if (wasEarlier && isSame) {', 'if (false) {']],
	),
	...group(
		'Trigger/webhooks.ts',
		['execution/trigger'],
		[
			[
				'only the first page is looked at',
				'await api.list(api.request(LIST));',
				'await api.list(api.request(LIST), { limit: 100 });',
			],
		],
	),
	...group(
		'PollingTrigger/changes.ts',
		['execution/pollingChanges'],
		[['n8n is not told to save a new row', ' || watch.event.isUpdate === true', '']],
	),
	...group(
		'PollingTrigger/latest.ts',
		['execution/polling'],
		[
			[
				'a poll goes on from what n8n has saved, not from what the last one left',
				'(isSaved && last?.seen) || saved',
				'saved',
			],
		],
	),
	...group(
		'PollingTrigger/poll.ts',
		['execution/polling'],
		[['what took several polls to learn is not saved', ' || isStock', '']],
	),
	...group(
		'PollingTrigger/registered.ts',
		['execution/pollingLosses'],
		[['the secret of a webhook is shown', 'url.split(/[?#]|%3f/i)[0]', 'url']],
	),
	...group(
		'PollingTrigger/seen.ts',
		['execution/pollingLosses'],
		[['rows that the API lacks count as missing', 'lacking > 0 ?', 'lacking < 0 ?']],
	),
	...group(
		'PollingTrigger/seen.ts',
		['execution/pollingChanges'],
		[
			[
				'a row that is gone loses its fields',
				'{ ...state, goneSince }',
				'{ status: state.status, goneSince }',
			],
			[
				'what a poll reads in the middle of a list is not kept',
				'const groups = pack(new Map([...known, ...seen]))',
				'const groups = pack(known)',
			],
		],
	),
	...group(
		'PollingTrigger/sweep.ts',
		['execution/oddLists'],
		[
			[
				'rows that are missing are not noticed where the count is a text',
				'isRecord(body) ? numberOf(body.count) : undefined;',
				"isRecord(body) && typeof body.count === 'number' ? body.count : undefined;",
			],
		],
	),
];

/** A whole run: checked first, within limits, each key once, and rehearsed. */
const wholeRun: Mutation[] = [
	...group(
		'engine/run/allItems.ts',
		['execution/wholeRun'],
		[
			[
				'items that are right are sent before those that are wrong stop the run',
				'if (!goesOn && checked.faults.size > 0) throw checked.error();',
				'',
			],
		],
	),
	...group(
		'engine/run/safetyLimits.ts',
		['execution/wholeRun'],
		[
			[
				'Max Total holds for each item alone',
				'if (maxTotal !== undefined && total > maxTotal) {',
				'if (maxTotal !== undefined && own > maxTotal) {',
			],
		],
	),
	...group(
		'engine/run/idempotency.ts',
		['execution/wholeRun'],
		[
			[
				'a key in doubt is free again',
				"if (outcome === 'inDoubt' || outcome === 'applied') return;",
				'',
			],
		],
	),
	...group(
		'engine/run/keyStore.ts',
		['execution/wholeRun'],
		[
			[
				'a key counts at once, also when another process overwrites it',
				'await sleep(raceTime(performance.now() - began, write));',
				'',
			],
			[
				'a key that another process has recorded meanwhile is taken for its own',
				'if (isVerified && processed.includes(mark[0])) return known;',
				'if (write > 0) return known;',
			],
			[
				'a lost response of the store is none',
				'mark = newMark(isVerified, marks);\n\t\t\t\tawait',
				'await',
			],
		],
	),
	...group(
		'engine/run/item.ts',
		['execution/writtenItems'],
		[
			['a sent secret is in the item', 'withoutSecrets(sent, secrets)', 'sent'],
			[
				'what was sent hides what the API returned',
				'return { ...row, ...Object.fromEntries(untold) };',
				'return { ...row, ...Object.fromEntries(sent) };',
			],
			['IDs of the path are lost', '...pathNames(written),', ''],
			['a sent name makes an item an error', '!RESERVED.includes(name)', 'name'],
		],
	),
	...group(
		'engine/client/http/dryRun.ts',
		['execution/dryRun'],
		[['a field named as a secret is in an ID', ' || SECRET.test(name)', '']],
	),
	...group(
		'engine/client/http/dryRunMode.ts',
		['execution/dryRunMode'],
		[
			[
				'a sub-workflow is real whoever called it',
				"['trigger', 'webhook', 'error', 'cli']",
				"['trigger', 'webhook', 'error', 'cli', 'integrated']",
			],
			['an unknown beginning is real', 'return { isManual: false, reason };', 'return undefined;'],
		],
	),
	...group(
		'engine/client/http/credential.ts',
		['execution/dryRunMode'],
		[
			['an empty setting is live', 'if (setting) return setting;', "return setting ?? 'off';"],
			[
				'other nodes change data in a dry run',
				"if (setting === 'off' || READS.includes(method.toUpperCase())) return;",
				'return;',
			],
			[
				'other nodes change data while the beginning is unknown',
				"if (setting === 'off' ||",
				"if (setting !== 'on' ||",
			],
		],
	),
	...group(
		'engine/client/http/errors.ts',
		['execution/secrets'],
		[
			[
				'a message is cut before it is redacted',
				'redact(message, secrets).slice(0, MAX_MESSAGE)',
				'redact(message.slice(0, MAX_MESSAGE), secrets)',
			],
		],
	),
	...group(
		'engine/client/http/dryRun.ts',
		['execution/dryRun'],
		[
			[
				'writes leave n8n in a dry run',
				'!leavesInDryRun(request.endpoint) || isAboutDryRecord(request)',
				'isAboutDryRecord(request)',
			],
			[
				'an ID of a dry run is sent by a credential without it',
				'if (!isAboutDryRecord(request)) return undefined;',
				'if (dryRun === undefined) return undefined;',
			],
			['a dry run shows secrets', 'redactIn(content, secrets)', 'content'],
			[
				'the ID of a dry run has a secret',
				'recordOf(withoutSecrets(recordSent(request), secrets))',
				'recordSent(request)',
			],
			[
				'a lookup of what a dry run has made is sent',
				' && lookedUp(dryRun.made, request) === undefined',
				'',
			],
		],
	),
];

/** What an update would lose, what is sent and was never meant, and what is told wrongly. */
const forms: Mutation[] = [
	...group(
		'api/updates.ts',
		['execution/changes'],
		[
			[
				'tags of an update are replaced by default',
				"\tstandard: 'add',\n};",
				"\tstandard: 'replace',\n};",
			],
			[
				'the rest of an address is kept only if the user asks for it',
				'request.settings?.[kept.setting] !== false',
				'request.settings?.[kept.setting] === true',
			],
			[
				'no tags to add are sent',
				'if (change?.given.length !== 0) return;',
				'if (change === undefined || true) return;',
			],
		],
	),
	...group(
		'Customers/property.ts',
		['execution/changes'],
		[
			[
				'other properties are kept only if the user asks for it',
				'request.settings?.keepOthers === false',
				'request.settings?.keepOthers !== true',
			],
		],
	),
	...group(
		'Newsletters/fields.ts',
		['execution/areas/newsletters'],
		[
			[
				'an expression that finds nobody clears the recipients',
				'minItems: required ? 1 : 0',
				'minItems: 0',
			],
		],
	),
	...group(
		'engine/form/fields.ts',
		['contract/clearing'],
		[
			[
				'a field of an update that is left empty vanishes',
				'send: { ...field.send, emptyFails: true } } as Field',
				'send: { ...field.send } } as Field',
			],
		],
	),
	...group(
		'engine/form/containers.ts',
		['unit/values', 'contract/rows'],
		[
			['untouched JSON is sent', ' && !isUntouched(field, value)', ''],
			[
				'null in properties is sent as empty text',
				'return isNull ? { ...checked, [content]: null } : checked;',
				'return checked;',
			],
		],
	),
	...group(
		'engine/form/values.ts',
		['unit/values'],
		[
			['a hexadecimal text is an amount', 'decimalText.test(value)', 'true'],
			[
				'the noise of a calculation is charged',
				'const wire = withoutNoise(given);',
				'const wire = given;',
			],
		],
	),
	...group(
		'Dns/lookup.ts',
		['unit/values'],
		[
			[
				'an empty list is sent as empty text',
				': toText(field, value)) || undefined;',
				': toText(field, value));',
			],
		],
	),
	...group(
		'engine/form/dates.ts',
		['unit/values'],
		[
			[
				'midnight in another zone is a day',
				'return moment.offset !== moment.setZone(zone).offset;',
				'return false;',
			],
		],
	),
	...group(
		'Customers/charge.ts',
		['contract/rows'],
		[
			['a charge of nothing is sent', 'if (total <= 0) throw', 'if (total < 0) throw'],
			[
				'a credit line is sent without a word',
				'settings?.allowFreeLines !== true',
				'settings?.allowFreeLines === false',
			],
		],
	),
	...group(
		'Scheduler/event.ts',
		['execution/areas/scheduler', 'contract/generated'],
		[
			[
				'an event of any type has an action',
				"const actionType = choice({\n\tname: 'actionType',",
				"const actionType = choice({\n\tname: 'actionType',\n\tdefault: 'workflow',",
			],
		],
	),
	...group(
		'AiGateway/embeddingBatches.ts',
		['unit/embeddingBatches'],
		[
			['a blank passage is sent', "if (passage.trim() === '')", "if (passage === '')"],
			['1 MB is the larger reading', '1_000_000', '1_048_576'],
		],
	),
	...group(
		'Embeddings/embed.ts',
		['execution/ai'],
		[['the role is sent by default', 'inputTypes === true', 'inputTypes !== false']],
	),
	...group(
		'engine/client/http/dryRun.ts',
		['execution/dryRun'],
		[['an ID of a dry run in a body is sent', ' || hasDryId(body)', '']],
	),
	...group(
		'engine/client/http/nextStep.ts',
		['execution/errors'],
		[
			[
				"a refusal for the newsletter's state is told as a wrong field",
				"endpoint.refusedFor !== undefined && says === 'rejected'",
				'false',
			],
			['a fee that is not found is told as the partner', '.slice(0, 1);', '.slice(-1);'],
		],
	),
	...group(
		'engine/client/api.ts',
		['execution/areas/scheduler'],
		[
			[
				'items share a list of another query',
				'JSON.stringify([path, query, ...more])',
				'JSON.stringify([path, ...more])',
			],
		],
	),
	...group(
		'api/upsert.ts',
		['execution/upsert'],
		[
			[
				'a conflict by email is not looked at again',
				'response.status === 409 ? await idInList(found, value, steps, true) : undefined',
				'undefined',
			],
			[
				'after a conflict the old list is looked at',
				'await idInList(found, value, steps, true)',
				'await idInList(found, value, steps)',
			],
			[
				'an external ID in another case is the same',
				'String(record[key]) === value)',
				'String(record[key]).toLowerCase() === value.toLowerCase())',
			],
		],
	),
	...group(
		'Customers/filters.ts',
		['execution/upsert', 'execution/find'],
		[
			[
				'a stored email is compared with its case',
				'textsOf: ({ email }) => [lower(email)]',
				'textsOf: ({ email }) => [String(email)]',
			],
			[
				'a list without tags says nothing',
				"isByTag ? { field: 'tags', label: 'the filter Tag' } : undefined",
				'undefined',
			],
		],
	),
];

export const mutations: Mutation[] = [...money, ...wholeRun, ...secrets, ...lists, ...forms];
