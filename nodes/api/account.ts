// Recognizes the company that a trigger remembers. The key in a credential can be replaced by the key of another company,
// whose IDs may be the same. Only HMACs with a random salt are stored, so the data of two workflows can't be compared.
import { createHmac, randomBytes } from 'node:crypto';

import { isRecord } from '../engine/base/data';
import { requestTo } from '../engine/base/path';
import type { Door } from '../engine/client/door';
import type { Route } from './endpoints';
import { platform } from './platform';

export interface StoredAccount {
	salt: string;
	key: string;
	/** HMAC of the company's ID. Missing if the key may not read the company. */
	company?: string;
}

const COMPANY: Route = 'GET /company.json';

export const accountRoutes: Route[] = [COMPANY];

/**
 * ID of the company. Undefined if the API doesn't tell the ID to this key, or the response has none.
 * @throws NodeApiError for a wrong key, a 429 and a failure: the hook or poll has to run again, since nothing is known yet
 */
async function companyOf(door: Door): Promise<string | undefined> {
	const api = door.api({ action: 'Get the company' });
	const response = await api.ask(requestTo(platform.endpoint(COMPANY)));
	const { status, message } = response;
	const isClientError = status >= 400 && status < 500;
	const isAnotherFault = status === 429 || message === platform.errors.wrongKey;
	if (isClientError && !isAnotherFault) return undefined;
	const company = api.accept(response);
	const id = isRecord(company) ? company.id : undefined;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/**
 * The account of the credential, for the trigger to remember. `isSame` is true only if it's certainly the remembered account:
 * the key is the same, or the company is. The API is only asked for the company if the key is another one.
 * @throws NodeApiError if the API can't tell the company now
 */
export async function recognizeAccount(
	door: Door,
	remembered?: StoredAccount,
): Promise<{ account: StoredAccount; isSame: boolean }> {
	// The same salt, so that the HMACs can be compared with the remembered ones.
	const salt = remembered?.salt ?? randomBytes(16).toString('base64url');
	const key = door.account(salt);
	if (remembered?.key === key) return { account: remembered, isSame: true };
	const id = await companyOf(door);
	if (id === undefined) return { account: { salt, key }, isSame: false };
	const company = createHmac('sha256', salt).update(`${door.host} ${id}`).digest('base64url');
	return { account: { salt, key, company }, isSame: company === remembered?.company };
}
