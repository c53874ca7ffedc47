// What isn't offered under a limit: it moves money, sends email or starts something, and only the API knows how much.
import { hasLimits, type Operation } from '../engine/form/operation';

/** A tool, and what it does. */
interface Offer {
	name: string;
	operation: Operation;
}

/** A status may start the payments of a subscription again. The reference only shows one that ends them. */
const STARTS_PAYMENTS = ['update_subscription_status'];

const isMeasured = ({ name, operation }: Offer): boolean =>
	STARTS_PAYMENTS.includes(name) ? false : !hasLimits(operation) || operation.measure !== undefined;

/** Limits, each with what it closes. A workflow and an event may send email, a subscription doesn't. */
const closing: Record<string, (offer: Offer) => boolean> = {
	maxAmount: (offer) => !isMeasured(offer),
	maxRecipients: (offer) => !isMeasured(offer) && offer.operation.sequential === true,
	maxTotal: (offer) => !isMeasured(offer),
};

/** @returns the name of the limit that an operation can't keep to */
export const limitAgainst = (offer: Offer, limits: object): string | undefined =>
	Object.keys(closing).find((name) => Object.hasOwn(limits, name) && closing[name](offer));
