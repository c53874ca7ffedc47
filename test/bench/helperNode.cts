// The least that a node of n8n can do: its request helper in a pool, with one parameter for each
// item. No checks, no cancelling, no retries, no error texts. What is slower than this is slow by its
// own doing.
import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';
import { PAGE_SIZE, VERSION, type Work } from './work.cts';

/** Calls `work` for 0 to `count` - 1, at most `parallel` at a time. */
async function pool(
	count: number,
	parallel: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const worker = async () => {
		while (next < count) await work(next++);
	};
	await Promise.all(Array.from({ length: Math.min(count, parallel) }, worker));
}

export class HelperNode implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Helper',
		name: 'helper',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Helper' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'platformApi', required: true }],
		properties: [
			{ displayName: 'Operation', name: 'operation', type: 'string', default: 'list' },
			{ displayName: 'Parallel', name: 'parallel', type: 'number', default: 1 },
			{ displayName: 'Value', name: 'value', type: 'string', default: '' },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { baseUrl } = await this.getCredentials('platformApi');
		const operation = this.getNodeParameter('operation', 0) as Work['kind'];
		const parallel = this.getNodeParameter('parallel', 0) as number;
		const items = this.getInputData();
		const request = async (path: string, more: Partial<IHttpRequestOptions> = {}) =>
			await this.helpers.httpRequestWithAuthentication.call(this, 'platformApi', {
				url: `${String(baseUrl)}${VERSION}${path}`,
				json: true,
				...more,
			});

		if (operation === 'list') {
			const page = async (number: number) =>
				await request('/customers.json', { qs: { size: PAGE_SIZE, page: number } });
			const first = await page(1);
			const pages = [first.elements];
			await pool(first.pages.max - 1, parallel, async (index) => {
				pages[index + 1] = (await page(index + 2)).elements;
			});
			return [pages.flat().map((json) => ({ json, pairedItem: { item: 0 } }))];
		}
		const results: INodeExecutionData[] = [];
		await pool(items.length, parallel, async (index) => {
			const value = this.getNodeParameter('value', index) as string;
			const json =
				operation === 'read'
					? await request(`/customers/${value}.json`)
					: await request('/customers.json', {
							method: 'POST',
							body: { customer: { email: value, company_name: 'Example' } },
						});
			results[index] = { json, pairedItem: { item: index } };
		});
		return [results];
	}
}
