import { expect, test } from 'vitest';
import { makeWebhook } from '../support/factories.js';
import { dataOf, openGraphql } from '../support/graphql-api.js';

const { api, tenant, mutate, read } = await openGraphql();
const rotate = (input: object) => mutate('rotateWebhookSecret', input, 'secret webhook { id previousSecretExpiresAt }');
const HOUR_MS = 3_600_000;

test('the new secret is shown this once, and the webhook says how long the old one lives', async () => {
  const { id, secret: before } = await makeWebhook(api.services, tenant.id);
  const { secret, webhook } = dataOf(await rotate({ id })).rotateWebhookSecret;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
  expect(secret).not.toBe(before);
  const left = Date.parse(webhook.previousSecretExpiresAt) - Date.now();
  expect(left).toBeGreaterThan(23.9 * HOUR_MS);
  expect(left).toBeLessThan(24.1 * HOUR_MS);
  const again = await rotate({ id, overlapHours: 24 });
  expect(again.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'rotation_under_way' });
});

test('a secret whose time is over is not there any more', async () => {
  const { id } = await makeWebhook(api.services, tenant.id);
  await rotate({ id, overlapHours: 1 });
  await api.owner.query(
    `update hookwright.webhooks set previous_secret_expires_at = now() - interval '1 second' where id = $1`,
    [id],
  );
  const { webhook } = await read(`{ webhook(id: "${id}") { previousSecretExpiresAt } }`);
  expect(webhook.previousSecretExpiresAt).toBeNull();
});

test.each([
  [-1, 'must be at least 0'],
  [0, null],
  [168, null],
  [169, 'must be at most 168'],
])('an overlap of %j hours: %s', async (overlapHours, detail) => {
  const { id } = await makeWebhook(api.services, tenant.id);
  const { errors } = await rotate({ id, overlapHours });
  const issue = { path: ['input', 'overlapHours'], detail };
  const refusal = { extensions: { code: 'BAD_USER_INPUT', errors: [issue] } };
  expect(errors).toMatchObject(detail === null ? [] : [refusal]);
});
