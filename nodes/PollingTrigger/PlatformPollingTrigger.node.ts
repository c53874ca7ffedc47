// Platform Polling Trigger: polls the API and starts a workflow when a list has changed.
import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { methods, nodeHead } from '../api';
import { describeFields } from '../engine/node/description';
import { fields } from './fields';
import { poll } from './poll';

export class PlatformPollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		...nodeHead(
			'platformPollingTrigger',
			'Use it in place of Schedule Trigger, Get Many and a comparison: it remembers what it has seen.',
			['platformPartners', 'platformAiGateway'],
			'for statuses also status and previousStatus, for payments from and to, for changed records changed[] (names); data is the row',
		),
		version: [1, 1.1],
		icon: {
			light: 'file:../../icons/pollingTrigger.svg',
			dark: 'file:../../icons/pollingTrigger.dark.svg',
		},
		group: ['trigger'],
		subtitle: '={{$parameter["event"].replace(/([A-Z])/g, " $1").toLowerCase()}}',
		description:
			'Starts the workflow by polling for payments, new customers and changed records, for n8n without a public URL',
		polling: true,
		eventTriggerDescription: 'Reading the list for samples',
		activationMessage:
			'Your trigger will now read the list at its Poll Times, and start the workflow for changes.',
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'platformApi', required: true, testedBy: 'platformApiTest' }],
		properties: describeFields({ fields }),
	};

	methods = { credentialTest: methods.credentialTest, listSearch: methods.listSearch };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
