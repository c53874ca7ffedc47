// Recipients of a newsletter (reference: core, Endpoints, Newsletters).
import { getMany, operation } from '../api';
import { list, readingFirst } from '../api/merges';
import { ownId } from '../api/simplify';
import { listChange, type ChangedList } from '../api/updates';
import { recordOf } from '../engine/base/data';
import { choice, filters, text } from '../engine/form/fields';
import { resource, type Reading } from '../engine/form/operation';
import { newsletterId, recipientFields } from './fields';

/**
 * A snapshot lists all customers, and the IDs of the selected ones in `selected_ids` (core, Newsletter,
 * Recipient snapshot). Each row is told whether it's selected, and only those are returned unless the user wants all.
 */
function recipientReading(value: (name: string) => unknown): Reading {
	// Rows of a page share its body, so its IDs are collected once.
	const selections = new WeakMap<object, Set<string>>();
	return {
		row: (row, body) => {
			const snapshot = recordOf(body);
			const { newsletter_status, selected_ids } = snapshot;
			const ids: unknown[] = Array.isArray(selected_ids) ? selected_ids : [];
			const selected = selections.get(snapshot) ?? new Set(ids.map(String));
			selections.set(snapshot, selected);
			const is_selected = selected.has(String(row.id));
			return { ...row, is_selected, ...(newsletter_status !== undefined && { newsletter_status }) };
		},
		wanted:
			value('output') === 'customers'
				? undefined
				: { matches: ({ is_selected }) => is_selected === true },
	};
}

/** The API replaces the whole list, so Add and Remove read it first. */
const selected: ChangedList = {
	setting: 'changeRecipients',
	things: 'recipients',
	sent: 'contact_ids',
	known: 'selected_ids',
	standard: 'replace',
};

export const recipient = resource('recipient', {
	description: 'Customers who receive a newsletter',
	ids: [newsletterId],
	operations: [
		getMany({
			action: 'Get many recipients of a newsletter',
			description:
				'Return the recipients of a newsletter, all customers with who is selected, or a snapshot',
			route: 'GET /newsletters/{newsletterId}/recipients.json',
			reading: recipientReading,
			alternative: { field: 'output', is: 'snapshot', shape: { kind: 'one' } },
			fields: [
				choice({
					name: 'output',
					default: 'recipients',
					send: false,
					options: [
						{
							name: 'All Customers',
							value: 'customers',
							description:
								'One item for each customer. The field is_selected tells recipients, has_consent who wants newsletters.',
						},
						{
							name: 'Recipients',
							value: 'recipients',
							description: 'One item for each customer who is selected',
						},
						{
							name: 'Snapshot',
							value: 'snapshot',
							description:
								'One item with the newsletter status, the selected IDs and all customers',
						},
					],
				}),
				filters([
					text({
						name: 'search',
						placeholder: 'e.g. ada@example.com',
						description: 'In names and emails',
					}),
				]),
			],
		}),
		operation('set', {
			action: 'Set the recipients of a newsletter',
			description: 'Set the recipients of a newsletter and return how many were saved and skipped',
			route: 'PUT /newsletters/{newsletterId}/recipients.json',
			...readingFirst(
				{
					root: 'newsletter',
					read: 'GET /newsletters/{newsletterId}/recipients.json',
					id: 'newsletterId',
					always: true,
				},
				list(selected),
			),
			simplify: ownId('newsletter_id'),
			root: 'newsletter',
			fields: [...recipientFields(true), listChange(selected)],
		}),
	],
});
