// Operations that aren't offered under a limit: only the API knows how much they move, send or start.
import { hasLimits, type Operation } from '../engine/form/operation';

interface ToolOperation {
	name: string;
	operation: Operation;
}

/** A status may start the payments of a subscription again. The reference only shows one that ends them. */
const STARTS_PAYMENTS = ['update_subscription_status'];

/** True if it's known before a call how much it moves or sends, or if it moves and sends nothing. */
const isMeasured = ({ name, operation }: ToolOperation): boolean =>
	!STARTS_PAYMENTS.includes(name) && (!hasLimits(operation) || operation.measure !== undefined);

/** Limits, each with what it closes. Only a `sequential` operation may send email, as a workflow or an event. */
const closing: Record<string, (offer: ToolOperation) => boolean> = {
	maxAmount: (offer) => !isMeasured(offer),
	maxRecipients: (offer) => !isMeasured(offer) && offer.operation.sequential === true,
	maxTotal: (offer) => !isMeasured(offer),
};

/** The first limit of the form that an operation can't keep to. */
export const limitAgainst = (offer: ToolOperation, limits: object): string | undefined =>
	Object.keys(closing).find((name) => Object.hasOwn(limits, name) && closing[name](offer));
