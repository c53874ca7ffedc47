/** The suppression list: addresses that get no newsletters. Reference: 'Newsletters'. */
import type { Area, Call } from '../area.cts';
import { Collection } from '../collection.cts';
import { envelope } from '../lists.cts';
import { isSuppressed } from '../mailing.cts';
import { refuse } from '../refusals.cts';
import { seedSuppressions } from '../seeds/newsletters.cts';

export interface Suppression {
	/** The address in lower case. */
	id: string;
	reason?: string;
	/** Unix seconds. */
	unsubscribed_at: number;
}

export interface UnsubscribesState {
	/** Newest first. */
	suppressions: Collection<Suppression>;
}

interface UnsubscribeInput {
	email: string;
	reason?: string;
}

const inputOf = ({ body }: Call): UnsubscribeInput =>
	(body as { unsubscribe: UnsubscribeInput }).unsubscribe;

export const unsubscribes: Area<UnsubscribesState> = {
	seed: (seeding) => ({ suppressions: new Collection(seedSuppressions(seeding)) }),

	endpoints: {
		'GET /newsletters/unsubscribes.json': (call) =>
			envelope(call, call.state.unsubscribes.suppressions.rows, {
				element: ({ id, reason, unsubscribed_at }) => ({ email: id, reason, unsubscribed_at }),
			}),

		'POST /newsletters/unsubscribes.json': (call) => {
			const { email, reason } = inputOf(call);
			if (!email.includes('@')) throw refuse('invalidRequest', 'A valid email is required');
			const isKnown = isSuppressed(call.state, email);
			if (isKnown && call.world.suppressTwice === 'refused') {
				throw refuse('conflict', 'Email already in suppression list');
			}
			if (!isKnown) {
				call.state.unsubscribes.suppressions.add(
					{
						id: email.toLowerCase(),
						reason,
						unsubscribed_at: Math.floor(call.now().getTime() / 1000),
					},
					'front',
				);
			}
			return { email, unsubscribed: true };
		},

		'POST /newsletters/unsubscribes/resubscribe.json': (call) => {
			const { email } = inputOf(call);
			const removed = call.state.unsubscribes.suppressions.remove(email.toLowerCase());
			if (!removed) throw refuse('notSuppressed');
			return { email, resubscribed: true };
		},
	},
};
