import { afterAll, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { makeTenant } from '../support/factories.js';
import { codesOf } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { answer } from '../support/receiver.js';

const site = await BulkSite.open();
afterAll(() => site[Symbol.asyncDispose]());
site.startDaemon();

const check = (webhookId: number, asking?: { key: string }) =>
  site.mutate('checkWebhook', { webhookId: String(webhookId) }, 'delivery { id status isCheck eventType }', asking);

/** A check, once it has ended. */
async function checked(webhookId: number) {
  const { data, errors } = await check(webhookId);
  expect(errors).toEqual([]);
  const { id } = data.result.delivery;
  const fields = 'status isCheck eventType attemptCount lastStatusCode nextAttemptAt attempts { responseBody }';
  return eventually(async () => {
    const { delivery } = (await site.ask(`{ delivery(id: "${id}") { ${fields} } }`)).data;
    return delivery.status === 'PENDING' ? Promise.reject(new Error('it is pending')) : { id, ...delivery };
  });
}

const health = async (id: number) =>
  (
    await site.rows(`
    select active, disabled_reason, consecutive_failures, last_success_at, last_failure_at, closed_until, next_probe_at,
           generation from hookwright.webhooks where id = ${id}`)
  )[0];

const states = {
  paused: `active = false, disabled_reason = 'PAUSED', disabled_at = now(), hold_until = now() + interval '1 day'`,
  gone: `active = false, disabled_reason = 'GONE', disabled_at = now(), consecutive_failures = 1`,
  'disabled, with its hold over': `active = false, disabled_reason = 'FAILURES', disabled_at = now() - interval '9 days', hold_until = now(),
     consecutive_failures = 10, failing_since = now() - interval '9 days'`,
  'closed by its own wish': `closed_until = now() + interval '1 hour', consecutive_failures = 1`,
  failing: `consecutive_failures = 5, failing_since = now(), next_probe_at = now() + interval '1 hour'`,
};

test.each(Object.entries(states))(
  'a webhook that is %s is sent a check, and nothing else changes',
  async (_, state) => {
    const id = await site.webhook();
    await site.rows(`update hookwright.webhooks set ${state} where id = ${id}`);
    const before = await health(id);
    for (const [status, outcome] of [
      [500, 'FAILED'],
      [410, 'FAILED'],
      [200, 'SUCCEEDED'],
    ] as const) {
      site.receiver.answerWith(answer(status));
      expect(await checked(id)).toMatchObject({
        status: outcome,
        isCheck: true,
        eventType: 'webhook.test',
        attemptCount: 1,
        lastStatusCode: status,
        nextAttemptAt: null,
        attempts: [{ responseBody: expect.any(String) }],
      });
    }
    expect(await health(id)).toEqual(before);
    expect(await site.rows(`select from hookwright.events where event_type <> 'webhook.test'`)).toEqual([]);
  },
);

test('a check is not held while its webhook is aligned, and is an ordinary test once it is sent again', async () => {
  const id = await site.webhook();
  let end = (): void => {};
  site.receiver.answerWith((_request, response) => {
    end = () => response.writeHead(500).end();
  });
  const { data } = await check(id);
  const deliveryId = numberIn(data.result.delivery.id);
  await eventually(() => site.requests().has(deliveryId));
  await site.mutate('updateWebhook', { id: String(id), active: false }, 'webhook { id }');
  await eventually(
    async () =>
      (
        await site.rows(`
    select from ${JOBS_TABLE} where key = 'w:${id}'`)
      ).length === 0,
  );
  expect(await site.statuses(`id = ${deliveryId}`)).toEqual({ PENDING: 1 });
  end();
  await eventually(async () => (await site.statuses(`id = ${deliveryId}`))['FAILED'] === 1);

  await site.mutate('updateWebhook', { id: String(id), active: true }, 'webhook { id }');
  site.receiver.answerWith(answer(500));
  await site.mutate('redeliver', { deliveryId: String(deliveryId) }, 'delivery { id }');
  await eventually(async () => ((await health(id)) as { consecutive_failures: number }).consecutive_failures > 1);
});

test('a failed check is not among the deliveries that are sent again in bulk', async () => {
  const id = await site.webhook();
  site.receiver.answerWith(answer(500));
  await checked(id);
  const filter = { webhookId: String(id), status: 'FAILED' };
  const counts = 'total leftOut';
  const many = await site.mutate('recoverDeliveries', { filter, dryRun: true }, counts);
  expect(many.data.result).toEqual({ total: 0, leftOut: 0 });
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const one = await site.mutate('recoverWebhook', { id: String(id), filter: { since }, dryRun: true }, 'total');
  expect(one.data.result).toEqual({ total: 0 });
});

test('a webhook can be checked six times a minute, and each webhook for itself', async () => {
  site.receiver.answerWith(answer(200));
  const [one, other] = [await site.webhook(), await site.webhook()];
  for (let sent = 0; sent < 6; sent += 1) {
    expect((await check(one)).errors).toEqual([]);
  }
  const refused = await check(one);
  expect(codesOf(refused)).toEqual(['RATE_LIMITED']);
  expect(refused.errors[0].extensions.retryAfterSeconds).toBeGreaterThan(0);
  expect(refused.errors[0].message).toMatch(/^A webhook can be checked 6 times a minute\./);
  expect((await check(other)).errors).toEqual([]);
});

test('a webhook of another tenant, or a deleted one, is not found', async () => {
  const id = await site.webhook();
  expect(codesOf(await check(id, await makeTenant(site.api.services)))).toEqual(['NOT_FOUND']);
  await site.mutate('deleteWebhook', { id: String(id) }, 'deletedWebhookId');
  expect(codesOf(await check(id))).toEqual(['NOT_FOUND']);
});
