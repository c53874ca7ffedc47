// Delivery resource: passes on each delivery of the Platform Trigger once. It sends no request.
import type { INodeProperties } from 'n8n-workflow';

import { describeFields, picker } from '../shared/description';
import { keepNewFields } from '../shared/keepNew';

export const DELIVERY = 'delivery';

const shown = { show: { resource: [DELIVERY], operation: ['keepNew'] } };

const deliveryProperties: INodeProperties[] = [
	picker('operation', {
		default: 'keepNew',
		displayOptions: { show: { resource: [DELIVERY] } },
		options: [
			{
				name: 'Keep New',
				value: 'keepNew',
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

export function withDeliveries(properties: INodeProperties[]): INodeProperties[] {
	const [resource, ...others] = properties;
	const options = [{ name: 'Delivery', value: DELIVERY }, ...(resource.options ?? [])];
	return [{ ...resource, options } as INodeProperties, ...others, ...deliveryProperties];
}
