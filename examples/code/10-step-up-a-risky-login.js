// Platform 10: Step up a risky login, as code of n8n's workflow SDK.
const login = trigger({
  type: 'n8n-nodes-base.webhook',
  version: 2,
  config: { name: 'Login', parameters: { httpMethod: 'POST', path: 'platform-login', responseMode: 'responseNode', options: {} }, position: [-80, 0] }
});

const assess_session = node({
  type: 'n8n-nodes-platform-api.platformIdentity',
  version: 1,
  config: { name: 'Assess session', parameters: { resource: 'risk', operation: 'assessSession', sentinelId: expr('{{ $json.body.session }}'), ip: expr('{{ $json.body.ip }}'), userAgent: expr('{{ $json.body.userAgent }}'), format: 'current', additionalFields: { userId: expr('{{ $json.body.user }}') } }, credentials: { platformApi: newCredential('Platform API', '') }, position: [144, 0] }
});

const harmless = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Harmless?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $json.decision }}'), rightValue: 'allow', operator: { type: 'string', operation: 'equals' } }], combinator: 'and' }, options: {} }, position: [368, 0] }
});

const let_in = node({
  type: 'n8n-nodes-base.respondToWebhook',
  version: 1.1,
  config: { name: 'Let in', parameters: { respondWith: 'json', responseBody: expr('{{ { "allowed": true } }}'), options: { responseCode: 200 } }, position: [1040, -112] }
});

const code_given = node({
  type: 'n8n-nodes-base.if',
  version: 2.2,
  config: { name: 'Code given?', parameters: { conditions: { options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 }, conditions: [{ id: 'condition-1', leftValue: expr('{{ $(\'Login\').item.json.body.code ?? \'\' }}'), rightValue: '', operator: { type: 'string', operation: 'notEmpty', singleValue: true } }], combinator: 'and' }, options: {} }, position: [592, 112] }
});

const verify_code = node({
  type: 'n8n-nodes-platform-api.platformIdentity',
  version: 1,
  config: { name: 'Verify code', parameters: { resource: 'oneTimePassword', operation: 'verify', externalUserId: expr('{{ $(\'Login\').item.json.body.user }}'), code: expr('{{ $(\'Login\').item.json.body.code }}') }, credentials: { platformApi: newCredential('Platform API', '') }, position: [816, 0], onError: 'continueErrorOutput' }
});

const refuse = node({
  type: 'n8n-nodes-base.respondToWebhook',
  version: 1.1,
  config: { name: 'Refuse', parameters: { respondWith: 'json', responseBody: expr('{{ { "allowed": false, "message": "The code is wrong or has expired." } }}'), options: { responseCode: 403 } }, position: [1040, 96] }
});

const ask_for_a_code = node({
  type: 'n8n-nodes-base.respondToWebhook',
  version: 1.1,
  config: { name: 'Ask for a code', parameters: { respondWith: 'json', responseBody: expr('{{ { "allowed": false, "ask": $(\'Assess session\').item.json.recommended_factor } }}'), options: { responseCode: 401 } }, position: [1040, 288] }
});

const wf = workflow('', 'Platform 10: Step up a risky login', { executionOrder: 'v1' });

export default wf
  .add(sticky(`## Step up a risky login
Your sign-in page sends session, user, IP address and user agent. If the risk decision is **allow**, the user is let in. Otherwise a **one-time password** is needed: without a code, the page is told to ask for one. A wrong code is refused.

Publish this workflow to answer your sign-in page. *Execute workflow* uses the two sample logins pinned to **Login**: a harmless and a risky one. The code is only sent to the API.

The API reference doesn't list the risk decisions. **allow** is the one of the sandbox: check which ones your service uses.`, [], { name: 'What this shows', width: 720, height: 288, position: [-80, -432] }))
  .add(login)
  .to(assess_session)
  .to(harmless.onTrue(let_in).onFalse(code_given.onTrue(verify_code
      .onError(refuse)
      .to(let_in)).onFalse(ask_for_a_code)))
