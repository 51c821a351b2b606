import { afterAll, expect, test } from 'vitest';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const rotate = (input: Record<string, unknown>) =>
  api.ask(
    `mutation ($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) {
       secret webhook { id previousSecretExpiresAt } } }`,
    { input },
    tenant,
  );
const HOUR_MS = 3_600_000;

test('the new secret is shown this once, and the webhook says how long the old one lives', async () => {
  const { id, secret: before } = await makeWebhook(api.services, tenant.id);
  const { data, errors } = await rotate({ id: String(id) });
  expect(errors).toEqual([]);
  const { secret, webhook } = data.rotateWebhookSecret;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
  expect(secret).not.toBe(before);
  const left = Date.parse(webhook.previousSecretExpiresAt) - Date.now();
  expect(left).toBeGreaterThan(23.9 * HOUR_MS);
  expect(left).toBeLessThan(24.1 * HOUR_MS);
  const again = await rotate({ id: String(id), overlapHours: 24 });
  expect(again.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'rotation_under_way' });
});

test('a secret whose time is over is not there any more', async () => {
  const { id } = await makeWebhook(api.services, tenant.id);
  await rotate({ id: String(id), overlapHours: 1 });
  await api.owner.query(
    `update hookwright.webhooks set previous_secret_expires_at = now() - interval '1 second' where id = $1`,
    [id],
  );
  const { data } = await api.ask(`{ webhook(id: "${id}") { previousSecretExpiresAt } }`, {}, tenant);
  expect(data.webhook.previousSecretExpiresAt).toBeNull();
});

test.each([-1, 169])('an overlap of %j hours is refused', async (overlapHours) => {
  const { id } = await makeWebhook(api.services, tenant.id);
  const { errors } = await rotate({ id: String(id), overlapHours });
  expect(errors[0].extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    errors: [{ path: ['input', 'overlapHours'], detail: expect.stringMatching(/must be at (least 0|most 168)/) }],
  });
});

test.each([0, 168])('an overlap of %j hours is allowed', async (overlapHours) => {
  const { id } = await makeWebhook(api.services, tenant.id);
  expect((await rotate({ id: String(id), overlapHours })).errors).toEqual([]);
});
