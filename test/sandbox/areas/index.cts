/** All areas, in the order in which they are seeded. */
import type { Area } from '../area.cts';
import type { State } from '../state.cts';
import { charges } from './charges.cts';
import { company } from './company.cts';
import { currencies } from './currencies.cts';
import { customers } from './customers.cts';
import { dns } from './dns.cts';
import { recurring } from './recurring.cts';
import { scheduler } from './scheduler.cts';
import { subscriptions } from './subscriptions.cts';
import { webhooks } from './webhooks.cts';
import { workflows } from './workflows.cts';

export const areas: { [Name in keyof State]: Area<Name> } = {
	company,
	currencies,
	customers,
	subscriptions,
	charges,
	recurring,
	webhooks,
	workflows,
	scheduler,
	dns,
};
