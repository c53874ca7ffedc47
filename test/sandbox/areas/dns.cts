/** DNS lookups with deterministic answers; no name is really asked. Reference: 'DNS'. */
import { createHash } from 'node:crypto';
import type { Area, Call } from '../area.cts';
import { refuse } from '../refusals.cts';

interface Resolver {
	id: string;
	label: string;
	server: string;
}

export interface DnsState {
	recordTypes: string[];
	defaultRecordTypes: string[];
	resolvers: Resolver[];
}

interface LookupInput {
	target?: string;
	recordTypes?: string[] | string;
	resolverPreset?: string[] | string;
	customResolvers?: string;
	resolvers?: (string | Partial<Resolver>)[];
}

const words = (value: string[] | string | undefined): string[] =>
	[value ?? []].flat().flatMap((text) => text.split(/[\s,]+/).filter(Boolean));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The resolvers that a lookup asks: the preset's, then custom and additional ones. */
function resolversOf({ state }: Call, input: LookupInput): Resolver[] {
	const known = state.dns.resolvers;
	const presets = words(input.resolverPreset);
	const chosen = known.filter(({ id }) => presets.includes(id));
	const additional = (input.resolvers ?? []).map((entry) =>
		typeof entry === 'string' ? { server: entry } : entry,
	);
	const own = [...words(input.customResolvers).map((server) => ({ server })), ...additional];
	return [
		...(presets.length === 0 || presets.includes('public') ? known : chosen),
		...own.map((entry, index) => {
			const { server = '' } = entry;
			return { id: `custom-${index + 1}`, label: `Custom ${server}`, server, ...entry };
		}),
	];
}

/** The value of a record, made from the name. */
const valueOf = (target: string, type: string): string =>
	type === 'A' ? `203.0.113.${digest(target)[0]}` : `${type.toLowerCase()}.${target}.`;

function query(target: string, type: string, { label, server }: Resolver) {
	const value = valueOf(target, type);
	return {
		resolver_label: label,
		resolver: server,
		record_type: type,
		status: 'NOERROR',
		server: `${server}#53`,
		query_time_ms: 5 + (digest(server)[0] % 40),
		answers: [{ name: `${target}.`, ttl: 300, class: 'IN', type, value }],
		answer_signature: digest(value).toString('hex').slice(0, 16),
		error: null,
	};
}

function lookup(call: Call, input: LookupInput) {
	const { target } = input;
	if (!target) throw refuse('noDnsTarget');
	const { recordTypes: known, defaultRecordTypes } = call.state.dns;
	const asked = words(input.recordTypes);
	if (asked.some((type) => !known.includes(type))) {
		throw refuse('invalidRequest', 'Unknown record type');
	}
	const recordTypes = asked.length > 0 ? [...new Set(asked)] : defaultRecordTypes;
	const resolvers = resolversOf(call, input);
	const forEachType = <Value,>(valueFor: (type: string) => Value) =>
		Object.fromEntries(recordTypes.map((type) => [type, valueFor(type)]));
	return {
		target,
		generated_at: call.now().toISOString(),
		recordTypes,
		resolver_count: resolvers.length,
		resolvers,
		propagation: forEachType(() => ({
			is_consistent: true,
			distinct_statuses: 1,
			distinct_answers: 1,
		})),
		queries: forEachType((type) => resolvers.map((resolver) => query(target, type, resolver))),
	};
}

export const dns: Area<DnsState> = {
	seed: () => ({
		recordTypes: ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS', 'SOA', 'CAA', 'SRV'],
		defaultRecordTypes: ['A', 'AAAA', 'CNAME', 'TXT'],
		resolvers: [
			{ id: 'north', label: 'North public resolver', server: '192.0.2.1' },
			{ id: 'south', label: 'South public resolver', server: '198.51.100.1' },
			{ id: 'west', label: 'West public resolver', server: '203.0.113.1' },
		],
	}),

	endpoints: {
		'GET /dns/capabilities.json': ({ state }) => state.dns,

		'GET /dns/lookup.json': {
			invalid: 'noDnsTarget',
			handle: (call) => lookup(call, call.query as LookupInput),
		},

		'POST /dns/lookup.json': {
			invalid: 'noDnsTarget',
			handle: (call) => lookup(call, call.body as LookupInput),
		},
	},
};
