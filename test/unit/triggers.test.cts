// The triggers as n8n's panel and their forms show them.
import { pickerLists } from '../../dist/nodes/api/pickerLists.js';
import type { PickerList } from '../../nodes/engine/editor/pickers.ts';
import { nodes } from '../table/operations.cts';

const triggers = nodes.filter(({ description }) => description.group.includes('trigger'));
const propertiesOf = (node: string) =>
	nodes.find(({ name }) => name === node)!.description.properties;

/** n8n's panel makes an entry of each option of a trigger's field with one of these names. */
const entriesOf = (node: string) =>
	propertiesOf(node)
		.filter(({ displayName }) =>
			['event', 'events', 'trigger on'].includes(displayName.toLowerCase()),
		)
		.flatMap(({ options = [] }) =>
			options.map((option) => ('action' in option ? option.action : undefined)),
		);

test('the panel offers events as people call them', () => {
	expect(entriesOf('platformCustomersTrigger')).toEqual([
		'On charge failed',
		'On charge paid',
		'On another event',
	]);
	expect(entriesOf('platformPollingTrigger')).toEqual([
		'On customer changed',
		'On document status changed',
		'On new customer',
		'On newsletter status changed',
		'On partner changed',
		'On payout status changed',
		'On registered webhook missing',
		'On subscription payment status changed',
		'On workflow run added or changed',
	]);
});

test.each(triggers.map(({ name }) => name))('%s shows one notice', (name) => {
	expect(propertiesOf(name).filter(({ type }) => type === 'notice')).toHaveLength(1);
});

test('an event of the API has a readable name, and its own beside it', () => {
	const { text } = (pickerLists as Record<string, PickerList>).webhookEventTypes;
	expect(text?.('RecurringPayments.charge.paid')).toBe(
		'Charge paid (RecurringPayments.charge.paid)',
	);
	expect(text?.('Billing.Invoice.past_due')).toBe('Invoice past due (Billing.Invoice.past_due)');
	expect(text?.('ping')).toBe('Ping (ping)');
});

test.each(triggers)('$name says what it waits for, and what publishing does', ({ description }) => {
	expect(description.eventTriggerDescription).toMatch(/^(Waiting for|Reading)/);
	expect(description.activationMessage).toMatch(/^Your trigger will now /);
});
