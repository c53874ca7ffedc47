// Faults of a registered webhook that the list shows: nothing would arrive, or nothing that can be checked.
import type { Registration } from './state';
import { isTruncated } from './urls';
import type { Webhook } from './webhooks';

/** The list may hide what the API keeps, and so a fault. */
export function faultOf({ url, events }: Webhook, registration: Registration): string | undefined {
	const { event } = registration;
	if (events?.length === 0) {
		return `The API registered a webhook for no events instead of "${event}". Its reference doesn't say what such a webhook receives.`;
	}
	if (events && events.join() !== event.toLowerCase()) {
		return `The API registered a webhook for "${events.join(', ')}" instead of "${event}".`;
	}
	if (!isTruncated(url, registration.url)) return undefined;
	return `The API keeps only the first ${url?.length} characters of a webhook's URL. The secret is at its end, so deliveries couldn't be checked. Set N8N_WEBHOOK_URL to a shorter URL of n8n, or use the Platform Polling Trigger.`;
}
