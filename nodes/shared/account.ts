// Whose API it is, as triggers remember it. What they remember holds for one company: the key in a
// credential can be replaced by that of another company, whose IDs may be the same.
//
// A key is remembered by its HMAC with a random salt: what is stored can't be compared between two
// workflows. A renewed key is known by the company's ID, which not every key may read.
import { createHmac, randomBytes } from 'node:crypto';

import type { Route } from './endpoints';
import { isRecord } from './operation';
import { requestTo } from './path';
import type { Door } from './client/door';
import { WRONG_KEY } from './client/http/response';

/** An account, as static data hold it. */
export interface Account {
	salt: string;
	key: string;
	/** None where the key may not read it. */
	company?: string;
}

const COMPANY: Route = 'GET /company.json';

/** The endpoint that tells the companies of two keys apart. */
export const accountRoutes: Route[] = [COMPANY];

/**
 * The ID of the company; none where the key may not read it, or the service doesn't tell it.
 * @throws NodeApiError where it can't be told now
 */
async function companyOf(door: Door): Promise<string | undefined> {
	const api = door.api({ action: 'Get the company' });
	const response = await api.ask(requestTo(COMPANY));
	const { status, message } = response;
	if (status >= 400 && status < 500 && status !== 429 && message !== WRONG_KEY) return undefined;
	const company = api.accept(response);
	const id = isRecord(company) ? company.id : undefined;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/**
 * The account of the credential, and whether it is surely the one that is remembered. With a key that
 * is not known, and no company to compare, it isn't.
 */
export async function accountOf(
	door: Door,
	remembered?: Account,
): Promise<{ account: Account; isSame: boolean }> {
	const { salt } = remembered ?? { salt: randomBytes(16).toString('base64url') };
	const key = door.account(salt);
	if (remembered?.key === key) return { account: remembered, isSame: true };
	const id = await companyOf(door);
	const hashOf = (company: string) =>
		createHmac('sha256', salt).update(`${door.host} ${company}`).digest('base64url');
	const company = id === undefined ? undefined : hashOf(id);
	const isSame = company !== undefined && company === remembered?.company;
	return { account: { salt, key, company }, isSame };
}
