// Keep New: passes on each key only once, also across executions. It sends no requests to the API.
import { sleep, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { IN_ONE_GO } from '../base/pool';
import { nodeError } from '../client/http/errors';
import { errorItem } from '../run/allItems';
import { keyFrom, windowOf } from '../run/idempotency';
import { KeyStore } from '../run/keyStore';

/** Records a key. @throws Error if n8n doesn't say whether it's new */
async function isNew(store: KeyStore, key: string): Promise<boolean> {
	const known = await store.add([key]);
	if (known.isUnsure && known.size > 0) {
		throw new Error(
			`n8n's store didn't respond, so it isn't known whether the key "${key}" is new. Check whether this item was processed.`,
		);
	}
	return known.size === 0;
}

/** Passes on the items whose key the node hasn't seen. With On Error: Continue, an item can fail by itself. */
export async function keepNew(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const items = context.getInputData();
	const node = context.getNode();
	const failed = (thrown: unknown, itemIndex: number) => {
		const error = nodeError(thrown, { node, itemIndex, items: items.length, secrets: [] });
		if (!context.continueOnFail()) throw error;
		return [errorItem(error, itemIndex)];
	};
	const keys: Array<string | INodeExecutionData[]> = [];
	for (const index of items.keys()) {
		if (index % IN_ONE_GO === IN_ONE_GO - 1) await sleep(0);
		try {
			keys.push(keyFrom(context.getNodeParameter('key', index), 'Key'));
		} catch (error) {
			keys.push(failed(error, index));
		}
	}
	const output = async (store: KeyStore) => {
		const passed = await Promise.all(
			items.map(async (item, index) => {
				const key = keys[index];
				if (typeof key !== 'string') return key;
				return await isNew(store, key).then(
					(isFirst) => (isFirst ? [{ ...item, pairedItem: { item: index } }] : []),
					(error: unknown) => failed(error, index),
				);
			}),
		);
		// A mark that stays in the store does no harm.
		await store.flush().catch(() => {});
		return passed;
	};
	try {
		return [(await output(new KeyStore(context, windowOf(context)))).flat()];
	} catch (thrown) {
		const error = nodeError(thrown, { node, secrets: [] });
		if (!context.continueOnFail()) throw error;
		return [items.map((_item, index) => errorItem(error, index))];
	}
}
