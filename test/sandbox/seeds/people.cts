/** Believable names, companies and addresses for seeds. */
import type { Random } from '../random.cts';

const firstNames = ['Amélie', 'Anna', 'Bruno', 'Elena', 'Nora', 'Zoë'] as const;

const lastNames = ['Bianchi', 'Dubois', 'Fernández', 'Lefèvre', 'Müller', 'Weber'] as const;

const companyHeads = [
	'Alpine',
	'Blue Harbour',
	'Meridian',
	'North Star',
	'Summit',
	'Zenith',
] as const;

const companyTrades = ['Analytics', 'Coffee', 'Labs', 'Logistics', 'Studios'] as const;

const cities = [
	{ country: 'DE', city: 'Hamburg', suffix: 'GmbH', street: 'Hafenstraße' },
	{ country: 'FR', city: 'Lyon', suffix: 'SAS', street: 'Rue Victor Hugo' },
	{ country: 'IT', city: 'Milan', suffix: 'Srl', street: 'Via Manzoni' },
	{ country: 'SE', city: 'Malmö', suffix: 'AB', street: 'Södergatan' },
] as const;

const slug = (text: string): string =>
	text
		.normalize('NFKD')
		.replace(/\p{Diacritic}/gu, '')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '-');

export interface Person {
	company_name: string;
	first_name: string;
	last_name: string;
	email: string;
	address: { country: string; city: string; address: string };
}

/** A person at a company; the number keeps e-mail addresses apart. */
export function person(random: Random, number: number): Person {
	const first = random.pick(firstNames);
	const last = random.pick(lastNames);
	const place = random.pick(cities);
	const company = `${random.pick(companyHeads)} ${random.pick(companyTrades)}`;
	return {
		company_name: `${company} ${place.suffix}`,
		first_name: first,
		last_name: last,
		email: `${slug(first)}.${slug(last)}.${number}@${slug(company)}.example`,
		address: {
			country: place.country,
			city: place.city,
			address: `${place.street} ${random.int(1, 180)}`,
		},
	};
}

/** A date as YYYY-MM-DD, some days after another. */
export function dateAfter(day: Date, days: number): string {
	return new Date(day.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}
