/** The whole state of a sandbox, one store for each area. Tests may read and change it. */
import type { ChargesState } from './areas/charges.cts';
import type { CompanyState } from './areas/company.cts';
import type { CurrenciesState } from './areas/currencies.cts';
import type { CustomersState } from './areas/customers.cts';
import type { DnsState } from './areas/dns.cts';
import type { RecurringState } from './areas/recurring.cts';
import type { SchedulerState } from './areas/scheduler.cts';
import type { SubscriptionsState } from './areas/subscriptions.cts';
import type { WebhooksState } from './areas/webhooks.cts';
import type { WorkflowsState } from './areas/workflows.cts';

export interface State {
	company: CompanyState;
	currencies: CurrenciesState;
	customers: CustomersState;
	subscriptions: SubscriptionsState;
	charges: ChargesState;
	recurring: RecurringState;
	webhooks: WebhooksState;
	workflows: WorkflowsState;
	scheduler: SchedulerState;
	dns: DnsState;
}
