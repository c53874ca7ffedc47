/** Service and company. Reference: 'Service and company'. */
import type { Area } from '../area.cts';
import { refuse } from '../refusals.cts';

interface PublicCompany {
	vatNumber: string;
	name: string;
	address: string;
	vies_interrogation: { valid: boolean };
}

export interface CompanyState {
	company: { id: string; name: string };
	modules: { id: string; description: string; price: number; active: boolean }[];
	/** By VAT number. */
	register: Map<string, PublicCompany>;
}

const publicCompany = (vatNumber: string, name: string, address: string): PublicCompany => ({
	vatNumber,
	name,
	address,
	vies_interrogation: { valid: true },
});

export const company: Area<CompanyState> = {
	seed: () => ({
		company: { id: 'com-1', name: 'Sandbox Trading Ltd' },
		modules: [
			{
				id: 'recurring-payments',
				description: 'Subscriptions and charges',
				price: 49,
				active: true,
			},
			{ id: 'partners', description: 'Partners, fees and payouts', price: 29, active: true },
			{ id: 'newsletters', description: 'Campaigns and recipients', price: 19, active: true },
			{ id: 'ai-gateway', description: 'Knowledge bases and embeddings', price: 59, active: false },
		],
		register: new Map(
			[
				publicCompany('IT12345670785', 'Alba Foods Srl', 'Via Emilia 12, Bologna'),
				publicCompany('DE136695976', 'Nordic Works GmbH', 'Hafenstraße 4, Hamburg'),
				publicCompany('FR40303265045', 'Lumen Studios SAS', 'Rue Victor Hugo 9, Lyon'),
			].map((entry) => [entry.vatNumber, entry]),
		),
	}),

	endpoints: {
		'GET /ping.json': () => ({ status: 'ok', env: 'sandbox', RRT: '1ms' }),

		'GET /connection.json': ({ headers, ip }) => ({
			client: { userAgent: headers['user-agent'] ?? '', ips: { ipv4: ip } },
			endpoint: { apiVersion: '2026-02-01', env: 'sandbox', protocol: 'http' },
		}),

		'GET /company.json': ({ state }) => state.company.company,

		'GET /company/modules.json': ({ state }) => state.company.modules,

		'GET /company/stats/intelligence.json': ({ state, now }) => {
			const { rows } = state.subscriptions.subscriptions;
			const active = rows.filter(({ status }) => status !== 'dismiss');
			const revenue = active.reduce((sum, { price }) => sum + price.amount, 0);
			const moment = now();
			return {
				kpi: {
					mrr_growth: { raw_percent: 4.2, display_label: '+4.2 %' },
					total_customers: state.customers.customers.size,
					active_subscriptions: active.length,
				},
				usage: { banner: { show: false, status: null, upgrade_url: null }, widgets: [] },
				recent_activity: [],
				revenue_chart: {
					graph: [],
					stats: { one_shot: 0, subscriptions: revenue, total: revenue },
				},
				revenue_insights: {
					visible: true,
					net_revenue: revenue,
					tax_total: Number((revenue * 0.22).toFixed(2)),
					discounts_total: 0,
					services: [],
					top_services: [],
				},
				meta: {
					company_id: state.company.company.id,
					year: moment.getUTCFullYear(),
					month: moment.getUTCMonth() + 1,
					generated_at: moment.toISOString().replace('Z', '+00:00'),
				},
			};
		},

		'GET /company/{vatNumber}.json': ({ state, params }) => {
			const found = state.company.register.get(params.vatNumber);
			if (!found) throw refuse('unknownVatNumber');
			return found;
		},
	},
};
