import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTenant, type TestTenant } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const POOL_MAX = 4;
const webhookFields =
  'id url eventTypes active consecutiveFailures lastSuccessAt lastFailureAt disabledAt disabledReason holdUntil createdAt previousSecretExpiresAt heldCount';
const keyFields = 'id name scopes createdAt expiresAt revokedAt lastUsedAt';

let api: GraphqlApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await GraphqlApi.open({ DATABASE_POOL_MAX: String(POOL_MAX) });
  tenant = await makeTenant(api.services);
});
afterAll(() => api?.close());

/** Does `work` while every connection that reads are made with is taken. */
async function withoutReads<Result>(work: () => Promise<Result>): Promise<Result> {
  const taken = Array.from({ length: POOL_MAX }, () => api.services.db.orm.em.fork());
  try {
    for (const em of taken) {
      await em.begin();
      await em.execute('select 1');
    }
    return await work();
  } finally {
    for (const em of taken) {
      await em.rollback();
    }
  }
}
async function ask(document: string) {
  const { data, errors } = await api.ask(document, {}, tenant);
  expect(errors).toEqual([]);
  return data;
}

describe('a secret that is shown once does not depend on a read after the commit', () => {
  test('of a webhook', async () => {
    const { createWebhook } = await withoutReads(() =>
      ask(`mutation { createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) {
             secret webhook { ${webhookFields} } } }`),
    );
    expect(createWebhook.secret).toMatch(/^whsec_/);
    const { id } = createWebhook.webhook;
    expect(await ask(`{ webhook(id: "${id}") { ${webhookFields} } }`)).toEqual({
      webhook: createWebhook.webhook,
    });
    const { rotateWebhookSecret } = await withoutReads(() =>
      ask(`mutation { rotateWebhookSecret(input: {id: "${id}"}) { secret webhook { ${webhookFields} } } }`),
    );
    expect(rotateWebhookSecret.secret).toMatch(/^whsec_/);
    expect(await ask(`{ webhook(id: "${id}") { ${webhookFields} } }`)).toEqual({
      webhook: rotateWebhookSecret.webhook,
    });
  });

  test('of an API key', async () => {
    const { createApiKey } = await withoutReads(() =>
      ask(`mutation { createApiKey(input: {name: "ci", scopes: ["events:emit"], expiresInSeconds: 3600}) {
             key apiKey { ${keyFields} } } }`),
    );
    expect(createApiKey.key).toMatch(/^hw_/);
    const { apiKeys } = await ask(`{ apiKeys(first: 1) { edges { node { ${keyFields} } } } }`);
    expect(apiKeys.edges).toEqual([{ node: createApiKey.apiKey }]);
  });
});
