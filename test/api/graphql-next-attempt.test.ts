import { afterAll, expect, test } from 'vitest';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi, nodesOf } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { id: webhookId } = await makeWebhook(api.services, tenant.id);
await emitMany(api.services, tenant.id, 1);
afterAll(() => api.close());

async function nextAttemptAt(): Promise<string | null> {
  const { deliveries } = await api.by(tenant).read('{ deliveries(first: 1) { edges { node { nextAttemptAt } } } }');
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
