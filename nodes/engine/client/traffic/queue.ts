// Requests that wait for a slot.

export interface Waiting {
	/** The requests of its client to its route. */
	clientRoute: object;
	/** Of these, that with the highest goes first, and of several the one that waits longest. */
	priority: number;
}

interface Line<T> {
	tickets: Set<T>;
	/** The one that goes first, undefined if it has to be looked for. */
	head?: T;
}

function firstOf<T extends Waiting>(tickets: Iterable<T>): T | undefined {
	let first: T | undefined;
	for (const each of tickets) if (!first || each.priority > first.priority) first = each;
	return first;
}

/** Of each client and route only one request is looked at, so that many waiting ones cost no time. */
export class Queue<T extends Waiting> {
	private readonly lines = new Map<object, Line<T>>();

	get isEmpty(): boolean {
		return this.lines.size === 0;
	}

	add(ticket: T): void {
		const line = this.lines.get(ticket.clientRoute) ?? { tickets: new Set() };
		this.lines.set(ticket.clientRoute, line);
		line.tickets.add(ticket);
		if (line.head && ticket.priority > line.head.priority) line.head = ticket;
	}

	has(ticket: T): boolean {
		return this.lines.get(ticket.clientRoute)?.tickets.has(ticket) === true;
	}

	delete(ticket: T): boolean {
		const line = this.lines.get(ticket.clientRoute);
		if (!line?.tickets.delete(ticket)) return false;
		if (line.head === ticket) line.head = undefined;
		if (line.tickets.size === 0) this.lines.delete(ticket.clientRoute);
		return true;
	}

	all(): T[] {
		return [...this.lines.values()].flatMap(({ tickets }) => [...tickets]);
	}

	/**
	 * The first of each line.
	 * @param isBlocked the request has to wait, and others of its line don't. Then the first of these takes its place.
	 */
	*heads(isBlocked: (ticket: T) => boolean): Generator<T> {
		for (const line of this.lines.values()) {
			line.head ??= firstOf(line.tickets);
			if (!line.head) continue;
			if (!isBlocked(line.head)) yield line.head;
			else {
				const other = firstOf([...line.tickets].filter((each) => !isBlocked(each)));
				if (other) yield other;
			}
		}
	}
}
