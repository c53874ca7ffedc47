// Keep New: passes on each key only once, also across executions. It sends no requests to the API.
import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { options, text, type Field } from './fields';
import { nodeError } from './client/http/nodeErrors';
import { windowField } from './form/safety';
import { keyFrom, windowOf } from './run/idempotency';
import { KeyStore } from './run/keyStore';
import { IN_ONE_GO } from './run/precheck';

/** The default key identifies a delivery of the Platform Trigger. */
export const keepNewFields: Field[] = [
	text({
		name: 'key',
		required: true,
		default: '={{ $json.deliveryId }}',
		description:
			'What identifies an event. Two events with the same body have the same delivery ID: if that can happen, use an ID in the body.',
	}),
	options([windowField]),
];

/** Passes on the items whose key the node hasn't seen. */
export async function keepNew(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const node = context.getNode();
	try {
		const keys: string[] = [];
		for (const index of items.keys()) {
			if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
			keys.push(keyFrom(context.getNodeParameter('key', index), 'Key'));
		}
		const store = new KeyStore(context, windowOf(context));
		const known = await Promise.all(keys.map(async (key) => await store.add(key)));
		const passed = items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
		return [passed.filter((_item, index) => known[index].size === 0)];
	} catch (error) {
		throw nodeError(error, { node, secrets: [] });
	}
}
