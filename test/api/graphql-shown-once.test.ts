import pg from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { QuietClient } from '../../src/database/driver/quiet-client.js';
import { makeTenant } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const webhookFields =
  'id version url eventTypes active consecutiveFailures lastSuccessAt lastFailureAt disabledAt disabledReason holdUntil createdAt previousSecretExpiresAt heldCount';
const keyFields = 'id name scopes createdAt expiresAt revokedAt lastUsedAt';
const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

/** Does `work`, and refuses what the ORM asks of Postgres after the first commit. */
async function withoutReads<Result>(work: () => Promise<Result>): Promise<Result> {
  const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
  let hasCommitted = false;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if (this instanceof QuietClient) {
      return query.apply(this, args);
    }
    if (hasCommitted) {
      return Promise.reject(new Error('This is a read after the commit.'));
    }
    hasCommitted = args[0] === 'commit';
    return query.apply(this, args);
  } as never);
  try {
    return await work();
  } finally {
    expect(hasCommitted).toBe(true);
    spy.mockRestore();
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
    expect(await ask(`{ webhook(id: "${id}") { ${webhookFields} } }`)).toEqual({ webhook: createWebhook.webhook });
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
