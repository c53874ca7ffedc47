// The events that the form offers: those of charges by name, all others from the API.
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { methods } from '../shared/pickers';

/** The choice by which the form offers the events that only the API knows. */
export const OTHER_EVENTS = 'other';

/** Entries of n8n's panel; the first two are shown in the reference. */
export const events: INodePropertyOptions[] = [
	{
		name: 'Charge Failed',
		value: 'RecurringPayments.charge.failed',
		action: 'On charge failed',
		description: 'RecurringPayments.charge.failed',
	},
	{
		name: 'Charge Paid',
		value: 'RecurringPayments.charge.paid',
		action: 'On charge paid',
		description: 'RecurringPayments.charge.paid',
	},
	{
		name: 'Other Events',
		value: OTHER_EVENTS,
		action: 'On another event',
		description: 'Any other event that your company can receive',
	},
];

/** n8n shows a sentence in a list only as one of its entries; this one chooses nothing. */
const NONE = 'The API offers your company no other events';

/** The events of the company, without those that have an entry of their own. */
export async function otherEventTypes(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const all = await methods.loadOptions.webhookEventTypes.call(this);
	const others = all.filter(({ value }) => events.every((each) => each.value !== value));
	return others.length > 0 ? others : [{ name: NONE, value: '' }];
}
