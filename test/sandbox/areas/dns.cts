/** DNS lookups with deterministic answers; no name is really asked. Reference: 'DNS'. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
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

interface DnsAnswer {
	name: string;
	ttl: number;
	class: string;
	type: string;
	value: string;
}

const words = (value: string[] | string | undefined): string[] =>
	[value ?? []].flat().flatMap((text) => text.split(/[\s,]+/).filter(Boolean));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function isTarget(target: string): boolean {
	const name = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_-]{1,63}\.?$/i;
	return isIP(target) > 0 || name.test(target);
}

const custom = (server: string, index: number): Resolver => ({
	id: `custom-${index + 1}`,
	label: `Custom ${server}`,
	server,
});

/** The resolvers that a lookup asks: the preset's, then custom and additional ones. */
function resolversOf({ state }: Call, input: LookupInput): Resolver[] {
	const known = state.dns.resolvers;
	const presets = words(input.resolverPreset);
	const chosen = presets.flatMap((preset) => {
		const found = preset === 'public' ? known : known.filter(({ id }) => id === preset);
		if (found.length === 0) throw refuse('invalidRequest', 'Unknown resolver preset');
		return found;
	});
	const additional = (input.resolvers ?? []).map((entry) =>
		typeof entry === 'string' ? { server: entry } : entry,
	);
	const own = [...words(input.customResolvers).map((server) => ({ server })), ...additional];
	return [
		...(presets.length > 0 ? new Set(chosen) : known),
		...own.map((entry, index) => ({ ...custom(entry.server ?? '', index), ...entry })),
	];
}

/** The value of a record, made from the name; `salt` makes a resolver differ. */
function valueOf(target: string, type: string, salt: string): string {
	const bytes = digest(`${target}${salt}`);
	const hex = bytes.toString('hex');
	const values: Record<string, string> = {
		A: `203.0.113.${bytes[0]}`,
		AAAA: `2001:db8::${hex.slice(0, 4)}`,
		CNAME: `edge-${hex.slice(0, 6)}.example.`,
		TXT: '"v=spf1 -all"',
		MX: `10 mail.${target}.`,
		NS: `ns1.${target}.`,
		SOA: `ns1.${target}. hostmaster.${target}. 2026020101 7200 3600 1209600 3600`,
		CAA: '0 issue "ca.example"',
		SRV: `10 5 443 service.${target}.`,
	};
	return values[type];
}

function query(target: string, type: string, resolver: Resolver, isFirst: boolean) {
	const isUnknown = /(^|\.)invalid\.?$/i.test(target);
	const salt = /^split\./i.test(target) && !isFirst ? resolver.server : '';
	const answers: DnsAnswer[] = isUnknown
		? []
		: [{ name: `${target}.`, ttl: 300, class: 'IN', type, value: valueOf(target, type, salt) }];
	const text = JSON.stringify(answers.map(({ value }) => value));
	return {
		resolver_label: resolver.label,
		resolver: resolver.server,
		record_type: type,
		status: isUnknown ? 'NXDOMAIN' : 'NOERROR',
		server: `${resolver.server}#53`,
		query_time_ms: 5 + (digest(resolver.server)[0] % 40),
		answers,
		answer_signature: digest(text).toString('hex').slice(0, 16),
		error: null,
	};
}

function lookup(call: Call, input: LookupInput) {
	const target = input.target ?? '';
	if (!isTarget(target)) throw refuse('noDnsTarget');
	const { recordTypes: known, defaultRecordTypes } = call.state.dns;
	const asked = words(input.recordTypes);
	if (asked.some((type) => !known.includes(type))) {
		throw refuse('invalidRequest', 'Unknown record type');
	}
	const recordTypes = asked.length > 0 ? [...new Set(asked)] : defaultRecordTypes;
	const resolvers = resolversOf(call, input);
	const queries = Object.fromEntries(
		recordTypes.map((type) => [
			type,
			resolvers.map((resolver, index) => query(target, type, resolver, index === 0)),
		]),
	);
	const propagation = Object.fromEntries(
		Object.entries(queries).map(([type, results]) => {
			const statuses = new Set(results.map(({ status }) => status)).size;
			const answers = new Set(results.map(({ answer_signature }) => answer_signature)).size;
			const is_consistent = statuses === 1 && answers === 1;
			return [type, { is_consistent, distinct_statuses: statuses, distinct_answers: answers }];
		}),
	);
	return {
		target,
		generated_at: call.now().toISOString(),
		recordTypes,
		resolver_count: resolvers.length,
		resolvers,
		propagation,
		queries,
	};
}

export const dns: Area<'dns'> = {
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
			invalid: (call) => invalidLookup(call.query as LookupInput),
			handle: (call) => lookup(call, call.query as LookupInput),
		},

		'POST /dns/lookup.json': {
			invalid: (call) => invalidLookup((call.body ?? {}) as LookupInput),
			handle: (call) => lookup(call, call.body as LookupInput),
		},
	},
};

/** The documented refusal of a lookup without a target; another one for all else. */
function invalidLookup({ target }: LookupInput) {
	return refuse(target ? 'invalidRequest' : 'noDnsTarget');
}
