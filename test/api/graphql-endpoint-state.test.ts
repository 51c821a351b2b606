import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { reportEndpointStates } from '../../src/operations/attempts/endpoint-states.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const daemons = [randomUUID(), randomUUID()] as const;

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const said = { window: 8, inFlight: 3, waiting: 1, putOffs: 10, meanMs: 40 };

async function stateOf(webhookId: number, key = tenant.key) {
  const { data } = await api.ask(
    'query ($id: ID!) { webhook(id: $id) { endpointState { window inFlight waiting putOffs meanMs } } }',
    { id: String(webhookId) },
    { key },
  );
  return data.webhook?.endpointState;
}

test('an endpoint that nothing has been sent to has no state', async () => {
  const { id } = await makeWebhook(api.services, tenant.id);
  expect(await stateOf(id)).toBeNull();
});

test('the state is what all daemons say together', async () => {
  const { id: webhookId } = await makeWebhook(api.services, tenant.id);
  const pool = api.owner;
  await reportEndpointStates(pool, daemons[0], [{ webhookId, tenantId: tenant.id, ...said }]);
  await reportEndpointStates(pool, daemons[1], [{ webhookId, tenantId: tenant.id, ...said, meanMs: 60 }]);
  expect(await stateOf(webhookId)).toEqual({ window: 16, inFlight: 6, waiting: 2, putOffs: 20, meanMs: 50 });
});

test('of a daemon that has fallen silent, nothing is in flight', async () => {
  const { id: webhookId } = await makeWebhook(api.services, tenant.id);
  const pool = api.owner;
  await reportEndpointStates(pool, daemons[0], [{ webhookId, tenantId: tenant.id, ...said }]);
  await pool.query(
    `update hookwright.endpoint_states set updated_at = now() - interval '11 seconds' where webhook_id = $1`,
    [webhookId],
  );
  expect(await stateOf(webhookId)).toEqual({ ...said, inFlight: 0, waiting: 0 });
});

test('another tenant sees nothing of it', async () => {
  const { id: webhookId } = await makeWebhook(api.services, tenant.id);
  await reportEndpointStates(api.owner, daemons[0], [{ webhookId, tenantId: tenant.id, ...said }]);
  const stranger = await makeTenant(api.services);
  expect(await stateOf(webhookId, stranger.key)).toBeUndefined();
});
