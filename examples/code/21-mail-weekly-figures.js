// Platform 21: Mail weekly figures, as code of n8n's workflow SDK.
const each_Monday_at_8 = trigger({
  type: 'n8n-nodes-base.scheduleTrigger',
  version: 1.2,
  config: { name: 'Each Monday at 8', parameters: { rule: { interval: [{ field: 'weeks', triggerAtDay: [1], triggerAtHour: 8 }] } }, position: [-80, 0] }
});

const get_figures = node({
  type: 'n8n-nodes-platform-api.platformCompany',
  version: 1,
  config: { name: 'Get figures', parameters: { operation: 'getIntelligenceSnapshot' }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const rows = node({
  type: 'n8n-nodes-base.code',
  version: 2,
  config: {
    name: 'Rows',
    parameters: {
      jsCode: `// A row for each figure of the snapshot.
const { kpi, revenue_insights: revenue } = $input.first().json;
const rows = [
  ['Customers', kpi.total_customers],
  ['Active subscriptions', kpi.active_subscriptions],
  ['Growth of monthly revenue', kpi.mrr_growth.display_label],
  ['Net revenue', revenue.net_revenue],
  ['Taxes', revenue.tax_total],
  ['Discounts', revenue.discounts_total],
];
return rows.map(([figure, value]) => ({ json: { figure, value } }));`
    },
    position: [368, 0]
  }
});

const send_figures = node({
  type: 'n8n-nodes-base.emailSend',
  version: 2.1,
  config: {
    name: 'Send figures',
    parameters: {
      fromEmail: 'reports@example.com',
      toEmail: 'you@example.com',
      subject: 'Weekly figures',
      emailFormat: 'html',
      html: expr(`<h2>Figures of {{ $('Get figures').first().json.meta.month }}/{{ $('Get figures').first().json.meta.year }}</h2>
<table border="1" cellpadding="6" cellspacing="0">
{{ $input.all().map(({ json }) => '<tr><td>' + json.figure + '</td><td align="right">' + json.value + '</td></tr>').join('\\n') }}
</table>`),
      options: { appendAttribution: false }
    },
    credentials: { smtp: newCredential('SMTP account', '') },
    position: [592, 0],
    executeOnce: true
  }
});

const wf = workflow('', 'Platform 21: Mail weekly figures', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Mail weekly figures
Publish this workflow to get the figures of the company as a table by email, each Monday at 8. *Execute workflow* sends it right away.

Set your own address in **Send figures**, and your own SMTP credential.`, [], { name: 'What this shows', width: 640, height: 176, position: [-80, -208] }))
  .add(each_Monday_at_8)
  .to(get_figures)
  .to(rows)
  .to(send_figures)
