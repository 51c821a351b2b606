import { expect, test } from 'vitest';
import { emitMany, makeWebhook } from '../support/factories.js';
import { nodesOf, openGraphql } from '../support/graphql-api.js';

const { api, tenant, read } = await openGraphql();
const { id: webhookId } = await makeWebhook(api.services, tenant.id);
await emitMany(api.services, tenant.id, 1);

async function nextAttemptAt(): Promise<string | null> {
  const { deliveries } = await read('{ deliveries(first: 1) { edges { node { nextAttemptAt } } } }');
  return nodesOf(deliveries)[0].nextAttemptAt;
}

const setClosedUntil = (sql: string) =>
  api.owner.query(`update hookwright.webhooks set closed_until = ${sql} where id = $1`, [webhookId]);

test('a delivery is due when its retry is, or when its endpoint opens again, whichever is later', async () => {
  const due = await nextAttemptAt();
  expect(Date.parse(due ?? '')).toBeLessThanOrEqual(Date.now());
  await setClosedUntil(`timestamptz '2099-01-01 00:00:00+00'`);
  expect(await nextAttemptAt()).toBe('2099-01-01T00:00:00+00:00');
  await setClosedUntil(`now() - interval '1 day'`);
  expect(await nextAttemptAt()).toBe(due);
});

test('none is, once it is finished', async () => {
  await api.owner.query(`update hookwright.deliveries set status = 'SUCCEEDED'`);
  expect(await nextAttemptAt()).toBeNull();
});
