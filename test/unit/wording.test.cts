// Texts of the forms, as n8n's own nodes have them.
import type { INodeProperties } from 'n8n-workflow';
import type { Field } from '../../nodes/engine/form/fields.ts';
import { takesKey } from '../../dist/nodes/engine/form/safety.js';
import { nodes, table } from '../table/operations.cts';

/** Characters that n8n shows in two lines of a list of operations. */
const TWO_LINES = 112;

const sentences = (text: string) =>
	text.split(/[.!?](?=\s|$)/).filter((each) => each.trim() !== '').length;

const notices = [
	...new Set(
		nodes.flatMap(({ description }) =>
			description.properties
				.filter(({ type, displayName }) => type === 'notice' && !displayName.includes('<a '))
				.map(({ displayName }) => displayName),
		),
	),
];

test('a notice of one sentence ends without a period, one of several with it', () => {
	const isRight = (text: string) => text.endsWith('.') === sentences(text) > 1;
	expect(notices.filter((text) => !isRight(text))).toEqual([]);
});

test('the notice of a charge has two sentences', () => {
	const notice = notices.find((text) => text.startsWith('A charge moves money'));
	expect(sentences(String(notice))).toBe(2);
});

test('the list of operations shows each description whole', () => {
	const long = table
		.map(({ title, operation: { description } }) => `${title}: ${description}`)
		.filter((_text, index) => (table[index].operation.description ?? '').length > TWO_LINES);
	expect(long).toEqual([]);
});

const fieldsOf = (node: string, resource: string, operation: string): INodeProperties[] =>
	nodes
		.find(({ name }) => name === node)!
		.description.properties.filter(
			({ displayOptions: { show } = {} }) =>
				show?.resource?.includes(resource) && show.operation?.includes(operation),
		);

test('the Idempotency Key is in sight where something moves money, sends or starts, else an option', () => {
	const wrong = table.flatMap(({ node, resource, operation, title }) => {
		const fields = fieldsOf(node, resource.value, operation.value);
		const options = fields.find(({ name }) => name === 'options')?.options ?? [];
		const isKey = ({ name }: { name: string }) => name === 'idempotencyKey';
		const place = [fields.some(isKey) && 'form', options.some(isKey) && 'options'].filter(Boolean);
		const inSight = operation.sequential ? 'form' : 'options';
		const wanted = takesKey(operation) ? [inSight] : [];
		return place.join() === wanted.join() ? [] : [`${title}: ${place.join()}`];
	});
	expect(wrong).toEqual([]);
});

test('a charge begins with an empty service, each field with an example', () => {
	const { operation } = table.find(({ title }) => title.endsWith('Charge › Create'))!;
	const services = operation.fields!.find(({ name }) => name === 'services') as Field;
	if (services.type !== 'fixedCollection') throw new Error('no rows');
	expect(services.default).toEqual({ service: [{ name: '', amount: '', taxProfile: '' }] });
	expect(services.options[0].values.map(({ placeholder }) => placeholder)).toEqual([
		'e.g. Onboarding',
		'e.g. 49.90',
		'e.g. standard',
	]);
});
