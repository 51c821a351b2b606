import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { reportEndpointStates } from '../../src/operations/attempts/endpoint-states.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

let webhookId: number;
beforeEach(async () => {
  webhookId = (await makeWebhook(api.services, tenant.id)).id;
});

const state = { window: 8, inFlight: 3, waiting: 1, putOffs: 10, meanMs: 40 };
/** Reports what a daemon of its own sees. */
const report = (seen = state) =>
  reportEndpointStates(api.owner, randomUUID(), [{ webhookId, tenantId: tenant.id, due: 4, ...seen }]);

async function shown({ key } = tenant) {
  const query = `{ webhook(id: "${webhookId}") { endpointState { window inFlight waiting putOffs meanMs } } }`;
  return (await api.ask(query, {}, { key })).data.webhook?.endpointState;
}

test('an endpoint that nothing has been sent to has no state', async () => {
  expect(await shown()).toBeNull();
});

test('the state is what all daemons report together, and other tenants see nothing of it', async () => {
  await report();
  await report({ ...state, meanMs: 60 });
  expect(await shown()).toEqual({ window: 16, inFlight: 6, waiting: 2, putOffs: 20, meanMs: 50 });
  expect(await shown(await makeTenant(api.services))).toBeUndefined();
});

test('nothing is in flight from a daemon that has fallen silent', async () => {
  await report();
  await api.owner.query(
    `update hookwright.endpoint_states set updated_at = now() - interval '11 seconds' where webhook_id = $1`,
    [webhookId],
  );
  expect(await shown()).toEqual({ ...state, inFlight: 0, waiting: 0 });
});
