// The columns that a resource mapper offers: the fields of the operation's record.
import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import type { Resource } from '../form/operation';
import { formValue } from './editor';

export const columnMethods = (resources: Resource[]) => ({
	/** n8n calls this method by its name. It gives no columns for an operation without a mapper. */
	async recordColumns(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
		// The first resource is the default of the form.
		const { operations } =
			resources.find(({ value }) => value === formValue(this, 'resource')) ?? resources[0];
		const { fields = [] } =
			operations.find(({ value }) => value === formValue(this, 'operation')) ?? {};
		const mapper = fields.find(({ name }) => name === 'columns');
		const columns = (mapper?.send || {}).columns ?? [];
		return await Promise.resolve({
			fields: columns.map(({ name, displayName, required = false }) => ({
				id: name,
				displayName,
				type: 'string' as const,
				required,
				defaultMatch: false,
				canBeUsedToMatch: false,
				display: true,
			})),
		});
	},
});
