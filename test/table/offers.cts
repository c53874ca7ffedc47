// Platform Tools for tests that walk over all of them: their arguments, and values that fit.
import { z, type ZodTypeAny } from 'zod';
import { offers, type Offer } from '../../dist/nodes/ApiTool/catalog.js';
import { signatureFor } from '../../dist/nodes/ApiTool/toolkit.js';

export { offers, signatureFor, type Offer };

export type Arguments = Record<string, unknown>;

export function offerOf(name: string): Offer {
	const offer = offers.find((each) => each.name === name);
	if (!offer) throw new Error(`No tool ${name}`);
	return offer;
}

export const argumentsOf = (offer: Offer) =>
	Object.entries(signatureFor(offer).schema.shape) as Array<[name: string, schema: ZodTypeAny]>;

interface Samples {
	/** Text for an argument of this name. */
	text: (name: string) => string;
	number?: number;
}

/** A value that fits an argument. Of choices it's the last, which is seldom the default. */
export function sampleOf(name: string, schema: ZodTypeAny, samples: Samples): unknown {
	if (schema instanceof z.ZodOptional) {
		return sampleOf(name, schema.unwrap() as ZodTypeAny, samples);
	}
	if (schema instanceof z.ZodEnum) return (schema.options as string[]).at(-1);
	if (schema instanceof z.ZodArray) {
		return [sampleOf(name, schema.element as ZodTypeAny, samples)];
	}
	if (schema instanceof z.ZodBoolean) return true;
	if (schema instanceof z.ZodNumber) return samples.number ?? 7;
	if (schema instanceof z.ZodRecord) return { a: 'b' };
	if (schema instanceof z.ZodAny) return ['x'];
	if (!(schema instanceof z.ZodObject)) return samples.text(name);
	const cells = Object.entries(schema.shape as Record<string, ZodTypeAny>);
	const needed = cells.filter(([, each]) => !each.isOptional());
	const filled = needed.length > 0 ? needed : cells;
	return Object.fromEntries(filled.map(([cell, each]) => [cell, sampleOf(cell, each, samples)]));
}

/** Arguments that a tool requires, with such values. Of two ways to find a record, it's the external ID. */
export const leastFor = (offer: Offer, samples: Samples): Arguments =>
	Object.fromEntries(
		argumentsOf(offer)
			.filter(([name, schema]) => !schema.isOptional() || name === 'external_id')
			.map(([name, schema]) => [name, sampleOf(name, schema, samples)]),
	);

const formats: Array<[name: RegExp, value: string]> = [
	[/currency/, 'EUR'],
	[/email/, 'ada@example.com'],
	[/url|endpoint/, 'https://x.example.com'],
	[/country/, 'DE'],
	[/^ip$/, '192.0.2.1'],
	[/date|start|end|since|from|until/, '2026-03-01'],
];

/** Values that pass the formats of the API, by the name of the argument. */
export const wellFormed: Samples = {
	text: (name) => formats.find(([is]) => is.test(name))?.[1] ?? 'x-7',
};
