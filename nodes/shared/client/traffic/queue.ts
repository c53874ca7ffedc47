// The requests of one client that wait to be sent.
import type { Route } from '../../endpoints';
import type { SentRequest } from './rateLimit';

/** What was noted when a request got its slot. */
export interface Slot {
	at: number;
	/** Of the key and of the route. */
	sent: [SentRequest, SentRequest];
	/** How often the bound had been halved. */
	halvings: number;
}

/** A request that waits to be sent. */
export interface Ticket {
	route: Route;
	/** Index of the input item: items take turns. */
	itemIndex: number;
	/** How often the request was sent already. */
	attempts: number;
	/** When it began to wait. */
	joined: number;
	/** Milliseconds that its user lets it spend on refusals. */
	budget: number;
	/** Ends the waiting: the request has a slot. */
	send: (slot: Slot) => void;
	/** Ends the waiting: it is not. */
	drop: (reason: unknown) => void;
}

/**
 * Retried requests first, in order. The others by input item in turns (round robin), so that the
 * thousand pages of one item do not hold up the single read of the next.
 */
export class Queue {
	private readonly retried: Ticket[] = [];

	private readonly byItem = new Map<number, Ticket[]>();

	add(ticket: Ticket): void {
		const { attempts, itemIndex } = ticket;
		if (attempts > 0) {
			const later = this.retried.findIndex((other) => other.attempts < attempts);
			this.retried.splice(later < 0 ? this.retried.length : later, 0, ticket);
			return;
		}
		const others = this.byItem.get(itemIndex);
		if (others) others.push(ticket);
		else this.byItem.set(itemIndex, [ticket]);
	}

	/** The requests that may be next, in order: one of each item. */
	*heads(): Generator<Ticket> {
		yield* this.retried;
		for (const [first] of this.byItem.values()) yield first;
	}

	/** All requests, in no order. */
	all(): Ticket[] {
		return [...this.retried, ...[...this.byItem.values()].flat()];
	}

	get isEmpty(): boolean {
		return this.retried.length === 0 && this.byItem.size === 0;
	}

	/** Takes a request out; its item goes to the end. */
	remove(ticket: Ticket): void {
		const { itemIndex } = ticket;
		const retried = this.retried.indexOf(ticket);
		if (retried >= 0) this.retried.splice(retried, 1);
		const others = this.byItem.get(itemIndex);
		const place = others?.indexOf(ticket) ?? -1;
		if (!others || place < 0) return;
		others.splice(place, 1);
		this.byItem.delete(itemIndex);
		if (others.length > 0) this.byItem.set(itemIndex, others);
	}
}
