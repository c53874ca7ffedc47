// Delivery resource: passes on each delivery of the Platform Trigger once. It sends no request.
import type { INodeProperties } from 'n8n-workflow';

import { options, text, type Field } from '../engine/form/fields';
import { windowField } from '../engine/form/safety';
import { describeFields, picker } from '../engine/node/description';

/** The default key identifies a delivery of the Platform Trigger. */
const keepNewFields: Field[] = [
	text({
		name: 'key',
		required: true,
		default: '={{ $json.deliveryId }}',
		description: 'What identifies an event. Two with equal bodies have the same delivery ID.',
	}),
	options([windowField]),
];

const keepNew = { name: 'Keep New', value: 'keepNew' };

export const delivery = { name: 'Delivery', value: 'delivery', operations: [keepNew] };

const shown = { show: { resource: [delivery.value], operation: [keepNew.value] } };

const deliveryProperties: INodeProperties[] = [
	picker('operation', {
		default: keepNew.value,
		displayOptions: { show: { resource: [delivery.value] } },
		options: [
			{
				...keepNew,
				action: 'Keep new deliveries',
				description:
					'Pass on the items whose key this node has not seen, also in earlier executions',
			},
		],
	}),
	...describeFields({ fields: keepNewFields }).map((property) => ({
		...property,
		displayOptions: shown,
	})),
];

/** Adds the resource Delivery to the properties of a node, of which the first chooses the resource. */
export function withDeliveries(properties: INodeProperties[]): INodeProperties[] {
	const [resource, ...others] = properties;
	const { name, value } = delivery;
	const options = [{ name, value }, ...(resource.options ?? [])];
	return [{ ...resource, options } as INodeProperties, ...others, ...deliveryProperties];
}
