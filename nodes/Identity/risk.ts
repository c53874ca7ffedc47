// Risk of a session (reference: core, Endpoints, Identity and risk).
import { operation } from '../api';
import { FieldFault, type ApiRequest } from '../engine/base/apiRequest';
import { additionalFields, choice, text } from '../engine/form/fields';
import { resource } from '../engine/form/operation';

const ipAddress = text({
	displayName: 'IP Address',
	name: 'ip',
	placeholder: 'e.g. 203.0.113.7',
});

const userAgent = text({
	name: 'userAgent',
	placeholder: 'e.g. Mozilla/5.0',
});

const current = { show: { format: ['current'] } };
const legacy = { show: { format: ['legacy'] } };

/** The reference doesn't show which fields the legacy format requires. At least one must be set. */
function checkLegacyEvent({ body }: ApiRequest): void {
	// Never with the current format, whose fields are required.
	if (body === undefined) {
		throw new FieldFault('Sentinel Session', 'is empty: fill in at least one field of the event');
	}
}

export const risk = resource('risk', {
	description: 'Risk of a login session',
	operations: [
		operation('assessSession', {
			action: 'Assess the risk of a session',
			description: 'Return the risk score, risk band, reasons, decision and recommended factor',
			route: 'POST /sentinel/verify.json',
			check: checkLegacyEvent,
			fields: [
				choice({
					displayName: 'Request Format',
					name: 'format',
					noDataExpression: true,
					default: 'current',
					send: false,
					options: [
						{
							name: 'Session, IP Address and User Agent',
							value: 'current',
							description: 'The format of the API reference',
						},
						{
							name: 'Event (Older Format)',
							value: 'legacy',
							description: 'The format that the API still accepts',
						},
					],
				}),
				text({
					displayName: 'Sentinel ID',
					name: 'sentinelId',
					required: true,
					displayOptions: current,
					send: { as: 'sentinel.id' },
					description: "The API reference doesn't say what it identifies",
				}),
				{
					...ipAddress,
					required: true,
					displayOptions: current,
					send: { as: 'sentinel.context.ip', format: 'ip' },
				},
				{
					...userAgent,
					required: true,
					displayOptions: current,
					send: { as: 'sentinel.context.ua' },
				},
				text({
					displayName: 'Sentinel Session',
					name: 'sentinelSession',
					displayOptions: legacy,
					send: { as: 'event.sentinel_session' },
					description: 'Sent as sentinel_session',
				}),
				{
					...ipAddress,
					name: 'eventIp',
					displayOptions: legacy,
					send: { as: 'event.ip', format: 'ip' },
				},
				{
					...userAgent,
					name: 'eventUserAgent',
					displayOptions: legacy,
					send: { as: 'event.user_agent' },
				},
				text({
					displayName: 'User ID',
					name: 'eventUserId',
					placeholder: 'e.g. user-1',
					displayOptions: legacy,
					send: { as: 'event.user_id', empty: 'refused' },
					description: 'Sent as user_id',
				}),
				{
					...additionalFields([
						text({
							name: 'userId',
							placeholder: 'e.g. user-1',
							send: { as: 'sentinel.context.user_id', empty: 'refused' },
							description: 'Overrides the user',
						}),
					]),
					displayOptions: current,
				},
			],
		}),
	],
});
