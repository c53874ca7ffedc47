// Fields that several resources of this area share.
import { locator } from '../shared/pickers';

export const workflowId = locator('workflows', {
	name: 'workflowId',
	required: true,
	description: 'The Platform workflow to work with',
	placeholder: 'e.g. wfl_1024',
});
