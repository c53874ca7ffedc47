// DNS lookups (reference: core, Endpoints, DNS).
import type { IDataObject } from 'n8n-workflow';

import { loadedChoices, locator, openChoice, operation } from '../api';
import type { ApiRequest } from '../engine/base/apiRequest';
import { recordOf, recordsOf } from '../engine/base/data';
import { additionalFields, json, rows, text, type Field } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { specify } from '../engine/form/specify';
import { toList, toText } from '../engine/form/values';
import { itemPerAnswer } from './itemPerAnswer';

const target = text({
	name: 'target',
	required: true,
	placeholder: 'e.g. example.com',
	send: { format: 'host' },
	description: 'Host name or IP address. Of a URL, its host is taken.',
});

/**
 * Text as entered, since the API takes spaces and commas; an array or a JSON array with commas. Undefined if it's empty.
 * `[2001:db8::1]` is an address.
 */
function resolversText(field: Field, value: unknown): string | undefined {
	const isArray = Array.isArray(value) || (typeof value === 'string' && /^\[\s*["\]]/.test(value));
	return (isArray ? toList(field, value)?.join(',') : toText(field, value)) || undefined;
}

const choices: Field = additionalFields([
	locator(
		'dnsResolvers',
		{
			name: 'customResolvers',
			send: { type: 'list', convert: resolversText },
			description: 'Separated by spaces or commas, or an array from an expression',
			placeholder: 'e.g. 192.0.2.1, 198.51.100.1',
		},
		'name',
	),
	loadedChoices('dnsRecordTypes', {
		displayName: 'Record Type',
		name: 'recordTypes',
		send: { type: 'texts' },
		description: 'If empty, A, AAAA, CNAME and TXT',
	}),
	openChoice('dnsResolverPresets', {
		name: 'resolverPreset',
		send: { type: 'texts' },
		description: 'One preset, or an array from an expression',
		placeholder: 'e.g. public',
	}),
]);

const resolverFields = specify(
	'Resolvers',
	{ name: 'resolversAs' },
	rows({
		displayName: 'Additional Resolvers',
		name: 'resolvers',
		description: "Besides the service's own",
		row: { displayName: 'Resolver', name: 'resolver' },
		values: [
			text({
				name: 'id',
				placeholder: 'e.g. office',
			}),
			text({
				name: 'label',
				placeholder: 'e.g. Office',
			}),
			text({
				name: 'server',
				required: true,
				placeholder: 'e.g. 192.0.2.53',
				description: 'Its IP address',
			}),
		],
	}),
	json({
		displayName: 'Additional Resolvers (JSON)',
		name: 'resolversJson',
		default: '[]',
		send: { as: 'resolvers', type: 'array', minItems: 1, empty: 'refused' },
		description:
			"A JSON array. The API reference doesn't show its fields. The example has those of responses.",
		hint: 'For example [{"label": "Office", "server": "192.0.2.53"}]',
	}),
);

/** Words of a text or of several texts. None for anything else. */
const words = (value: unknown): string[] =>
	[value]
		.flat()
		.flatMap((each) => (typeof each === 'string' ? each.split(/[\s,]+/) : []))
		.filter((each) => each !== '');

/** Requested values that the response doesn't echo, ignoring case. Empty if there is no echo at all. */
function lacking(asked: unknown, echo: unknown): string[] {
	if (echo === undefined || echo === null) return [];
	const done = words(echo).map((each) => each.toUpperCase());
	return words(asked).filter((each) => !done.includes(each.toUpperCase()));
}

/** Addresses of the resolvers in a response. */
const serversOf = ({ resolvers }: IDataObject): unknown =>
	Array.isArray(resolvers) ? recordsOf(resolvers).map(({ server }) => server) : undefined;

/**
 * Hint about requested values that weren't looked up. The reference doesn't show how the API reads several
 * values in a query: it may silently use only the last one, or its defaults. It shows no echo of presets.
 */
function notLookedUp({ query, body }: ApiRequest, response: unknown): string | undefined {
	// A GET has a query, a POST a body.
	const { recordTypes, resolverPreset, customResolvers } = query ?? body ?? {};
	const echo = recordOf(response);
	const types = lacking(recordTypes, echo.recordTypes);
	const unusedPresets = lacking(resolverPreset, echo.resolverPreset);
	const servers = lacking(customResolvers, serversOf(echo));
	const presets = words(resolverPreset);
	const isUnclear = presets.length > 1 && words(echo.resolverPreset).length === 0;
	const parts = [
		types.length > 0 &&
			`The API didn't look up ${types.join(', ')}. Run the lookup once for each record type, or use Run with Additional Resolvers.`,
		unusedPresets.length > 0 &&
			`The API didn't use the resolver preset ${unusedPresets.join(', ')}. Run the lookup once for each preset.`,
		isUnclear &&
			`The response doesn't say which of the resolver presets ${presets.join(', ')} were used. Check its resolvers, or run the lookup once for each preset.`,
		servers.length > 0 &&
			`The API didn't query ${servers.join(', ')}. Check the addresses in Custom Resolvers.`,
	].filter((part) => part !== false);
	return parts.length > 0 ? parts.join(' ') : undefined;
}

export const lookup = resource('lookup', {
	description: 'DNS records by resolver',
	operations: [
		operation('run', {
			action: 'Run a lookup',
			description:
				'Look up a host name or IP address at several resolvers. Returns their results and whether they agree.',
			route: 'GET /dns/lookup.json',
			simplify: itemPerAnswer,
			hint: notLookedUp,
			fields: [target, choices],
		}),
		operation('runWithResolvers', {
			name: 'Run with Additional Resolvers',
			action: 'Run a lookup with additional resolvers',
			description:
				'Look up a host name or IP address at your own resolvers too. Returns their results and whether they agree.',
			route: 'POST /dns/lookup.json',
			simplify: itemPerAnswer,
			hint: notLookedUp,
			fields: [target, ...resolverFields, choices],
		}),
	],
});
