// What isn't offered under a limit: it moves money, sends email or starts something, and only the API knows how much.
import { hasLimits, type Operation } from '../engine/form/operation';

/** The part of a tool that is looked at. */
interface ToolOperation {
	name: string;
	operation: Operation;
}

/** A status may start the payments of a subscription again. The reference only shows one that ends them. */
const STARTS_PAYMENTS = ['update_subscription_status'];

/** True if it's known before a call how much it moves or sends, or if that's nothing. */
const isMeasured = ({ name, operation }: ToolOperation): boolean =>
	!STARTS_PAYMENTS.includes(name) && (!hasLimits(operation) || operation.measure !== undefined);

/** Limits, each with what it closes. Only a `sequential` operation may send email, as a workflow or an event. */
const closing: Record<string, (offer: ToolOperation) => boolean> = {
	maxAmount: (offer) => !isMeasured(offer),
	maxRecipients: (offer) => !isMeasured(offer) && offer.operation.sequential === true,
	maxTotal: (offer) => !isMeasured(offer),
};

/** Returns the first limit of the form that an operation can't keep to. Undefined if it keeps to all. */
export const limitAgainst = (offer: ToolOperation, limits: object): string | undefined =>
	Object.keys(closing).find((name) => Object.hasOwn(limits, name) && closing[name](offer));
