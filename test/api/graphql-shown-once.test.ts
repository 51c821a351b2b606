import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { QuietClient } from '../../src/platform/database/driver/quiet-client.js';
import { dataOf, nodesOf, openGraphql } from '../support/graphql-api.js';
import { makesDatabases } from '../support/statements.js';

const webhookFields =
  'id version url eventTypes active consecutiveFailures lastSuccessAt lastFailureAt disabledAt disabledReason holdUntil createdAt previousSecretExpiresAt heldCount';
const keyFields = 'id name scopes createdAt expiresAt revokedAt lastUsedAt';
const { mutate, read } = await openGraphql();

/** Does `work`, and refuses what the ORM asks of Postgres after the first commit. */
async function withoutReads<Result>(work: () => Promise<Result>): Promise<Result> {
  const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
  let hasCommitted = false;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if (this instanceof QuietClient || makesDatabases(this)) {
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

const changed = async (name: string, input: object, selection: string) =>
  dataOf(await withoutReads(() => mutate(name, input, selection)))[name];

describe('a secret that is shown once does not depend on a read after the commit', () => {
  test('of a webhook', async () => {
    const selection = `secret webhook { ${webhookFields} }`;
    const settings = { url: 'https://a.example.com/', eventTypes: ['*'] };
    const created = await changed('createWebhook', settings, selection);
    expect(created.secret).toMatch(/^whsec_/);
    const { id } = created.webhook;
    expect(await read(`{ webhook(id: "${id}") { ${webhookFields} } }`)).toEqual({ webhook: created.webhook });
    const rotated = await changed('rotateWebhookSecret', { id }, selection);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(await read(`{ webhook(id: "${id}") { ${webhookFields} } }`)).toEqual({ webhook: rotated.webhook });
  });

  test('of an API key', async () => {
    const input = { name: 'ci', scopes: ['events:emit'], expiresInSeconds: 3600 };
    const { key, apiKey } = await changed('createApiKey', input, `key apiKey { ${keyFields} }`);
    expect(key).toMatch(/^hw_/);
    const { apiKeys } = await read(`{ apiKeys(first: 1) { edges { node { ${keyFields} } } } }`);
    expect(nodesOf(apiKeys)).toEqual([apiKey]);
  });
});
