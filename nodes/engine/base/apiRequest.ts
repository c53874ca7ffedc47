// A request to an endpoint, and the error for a value that can't be sent.
import type { IDataObject } from 'n8n-workflow';

import type { Endpoint } from './definition';

export interface LookupKey {
	field: string;
	value: string;
}

export interface ApiRequest {
	endpoint: Endpoint;
	/** The IDs in the path are encoded. */
	path: string;
	ids: Record<string, string>;
	query?: IDataObject;
	body?: IDataObject;
	/** Values by field name that control how the operation runs. They aren't sent. */
	settings?: IDataObject;
	/** Keys of the record that come from a JSON field alone. They're sent as they are, unless a setting says otherwise. */
	asIs?: string[];
	/** The error of a 404 names these values. */
	lookupKeys?: () => LookupKey[];
	/** Retries a broken request although it may have gone through. The user chose this. */
	retryBroken?: boolean;
}

export class FieldFault extends Error {
	/** Something was sent for the item before the fault was found, or may have been. */
	isAfterWrite = false;

	/** A record that was read shows the fault, so a dry run has the fault, too. */
	isOfRecord = false;

	missing = '';

	/** @param empty the expression that gave nothing, if that's the fault */
	constructor(
		readonly field: string,
		readonly fault: string,
		readonly empty?: string,
	) {
		super(`${field} ${fault}`);
	}
}
