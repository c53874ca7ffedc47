// Newsletters, their sending and statistics (reference: core, Endpoints, Newsletters).
import { create, get, getMany, operation, remove, update } from '../api';
import { ownId } from '../api/simplify';
import { inner } from '../api/recordByKey';
import type { ApiRequest } from '../engine/base/apiRequest';
import type { Steps } from '../engine/client/steps';
import { filters, number, text, updateFields, type Field } from '../engine/form/fields';
import { resource } from '../engine/form/operation';
import { filteredBy } from '../engine/form/rowFilters';
import { isoTimes } from '../engine/form/simplify';
import { newsletterId, recipientFields } from './fields';

const title = text({
	name: 'title',
	placeholder: 'e.g. Product update March',
});

const subject = text({
	name: 'subject',
	placeholder: 'e.g. What is new in March',
	description: 'Of the emails',
});

const templateId = text({
	displayName: 'Template',
	name: 'templateId',
	placeholder: 'e.g. monthly.html',
	send: { as: 'template_id' },
	description: 'File name of the template. The API reference shows no list of templates.',
});

const content = [title, subject, templateId];

const simplify = isoTimes('created_at');

/** Number of recipients for Safety Limits, including those on the suppression list. */
async function recipientCount({ ids }: ApiRequest, steps: Steps): Promise<unknown[]> {
	const read = steps.request('GET /newsletters/{newsletterId}.json', ids);
	return [inner(await steps.send(read), 'newsletter').total_recipients];
}

export const newsletter = resource('newsletter', {
	description: 'Newsletters',
	ids: [newsletterId],
	operations: [
		create({
			action: 'Create a newsletter',
			description: 'Create a draft and return its ID, status and number of skipped recipients',
			route: 'POST /newsletters.json',
			simplify,
			whole: { route: 'GET /newsletters/{newsletterId}.json' },
			root: 'newsletter',
			fields: [
				...content.map((field): Field => ({ ...field, required: true })),
				...recipientFields(false),
			],
		}),
		remove({
			action: 'Delete a newsletter',
			description: 'Delete a newsletter and its queue entries, and return its ID',
			route: 'DELETE /newsletters/{newsletterId}.json',
		}),
		get({
			action: 'Get a newsletter',
			description: 'Return a newsletter with subject, status and number of recipients',
			route: 'GET /newsletters/{newsletterId}.json',
			simplify,
		}),
		getMany({
			action: 'Get many newsletters',
			description: 'Return newsletters with subject, status and number of recipients',
			route: 'GET /newsletters.json',
			simplify,
			...filteredBy('newsletters', {
				status: {},
				title: { displayName: 'Title Contains', contains: true },
			}),
		}),
		operation('getStats', {
			action: 'Get the stats of a newsletter',
			description: 'Return a newsletter with sending statistics, progress and failures',
			route: 'GET /newsletters/{newsletterId}/stats.json',
			simplify,
			fields: [
				filters([
					number({
						displayName: 'Max Failures',
						name: 'failureLimit',
						typeOptions: { minValue: 0 },
						default: 50,
						send: { as: 'failure_limit', type: 'integer' },
						description: 'Max failed or skipped emails to include',
					}),
				]),
			],
		}),
		operation('queue', {
			action: 'Queue a newsletter for sending',
			description:
				'Queue a draft for sending and return how many recipients were queued and skipped',
			notice: 'This sends email to all recipients of the newsletter',
			builderHint: 'Sends to all recipients: only if the user asks for it.',
			route: 'POST /newsletters/{newsletterId}/queue.json',
			simplify: ownId('newsletter_id'),
			sequential: true,
			measure: { noun: 'recipients', of: recipientCount },
			also: ['GET /newsletters/{newsletterId}.json'],
		}),
		operation('sendTest', {
			action: 'Send a test of a newsletter',
			description: 'Send a test of a newsletter to one email address. Returns whether it was sent.',
			notice: 'This sends an email',
			route: 'POST /newsletters/{newsletterId}/test.json',
			simplify: ownId('newsletter_id'),
			root: 'newsletter',
			sequential: true,
			measure: { noun: 'recipients', of: () => [1] },
			fields: [
				text({
					name: 'testEmail',
					placeholder: 'name@email.com',
					required: true,
					send: { as: 'test_email', format: 'email' },
				}),
			],
		}),
		update({
			action: 'Update a newsletter',
			description: 'Update the title, subject or template of a draft and return the newsletter',
			route: 'PUT /newsletters/{newsletterId}.json',
			simplify,
			root: 'newsletter',
			fields: [updateFields(content)],
		}),
	],
});
