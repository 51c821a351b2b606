import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Resolution, StatsCounts } from '../../src/domain/stats/stats.js';
import { ALL_WEBHOOKS, readStats } from '../../src/operations/stats/read-stats.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { isKnownDuty } from '../support/jobs.js';
import { answer } from '../support/receiver.js';

/** Figures of real attempts, from the request to what a dashboard reads. */

let stack: DeliveryStack;
let receiver: Endpoint;
beforeEach(async () => {
  stack = await DeliveryStack.open({ MAX_RETRIES: '1' });
  receiver = await stack.endpoint();
});
afterEach(() => stack[Symbol.asyncDispose]());

async function read(
  resolution: Resolution,
  { webhookId = ALL_WEBHOOKS, eventType = null }: { webhookId?: number; eventType?: string | null } = {},
): Promise<StatsCounts[]> {
  const [since, until] = [new Date(Date.now() - 2 * 86_400_000), new Date(Date.now() + 86_400_000)];
  const range = { resolution, since, until };
  const read = await readStats(stack.services, stack.tenantId, [webhookId], {
    eventType,
    range,
    inBuckets: true,
  });
  return read.get(webhookId) ?? [];
}

function totalOf(counts: readonly StatsCounts[]) {
  const sum = (value: (one: StatsCounts) => number) => counts.reduce((total, one) => total + value(one), 0);
  return {
    successes: sum(({ successes }) => successes),
    failures: sum(({ failures }) => failures),
    durations: sum(({ histogram }) => histogram.reduce((total, count) => total + count, 0)),
  };
}

const finished = (count: number) =>
  eventually(async () => (await stack.deliveries(`status in ('SUCCEEDED', 'FAILED')`)).length === count, 30_000);

test('every attempt is counted with its outcome as soon as that is recorded, retries too', async () => {
  stack.startDaemon();
  await stack.emits(5);
  await finished(5);
  receiver.answerWith(answer(500));
  await Promise.all([stack.emit(), stack.emit()]);
  await finished(7);
  const expected = { successes: 5, failures: 4, durations: 9 };
  for (const resolution of ['MINUTE', 'HOUR', 'DAY'] as const) {
    expect(totalOf(await read(resolution)), resolution).toEqual(expected);
    expect(totalOf(await read(resolution, { webhookId: receiver.webhookId })), resolution).toEqual(expected);
    expect(totalOf(await read(resolution, { eventType: 'coupon.applied' })), resolution).toEqual(expected);
    expect(totalOf(await read(resolution, { eventType: 'booking.created' })).durations, resolution).toBe(0);
  }
});

test('a daemon rolls them up, and they are counted once all the same', async () => {
  stack.startDaemon();
  await eventually(() => isKnownDuty(stack, 'roll-up-stats'));
  await stack.emit();
  await finished(1);
  await stack.rows(`
    update hookwright.delivery_stats set bucket = bucket - interval '3 hours'`);
  await stack.rows(`
    update hookwright.stats_progress p
    set minutes_until = h, hours_until = h, minutes_from = h, hours_from = d, days_until = d
    from (select date_trunc('hour', at, 'UTC') as h, date_trunc('day', at, 'UTC') as d
          from (select now() - interval '5 hours') as ago(at)) as from_`);
  await stack.rows(`select hookwright_jobs.add_job('roll-up-stats')`);
  await eventually(
    async () =>
      (
        await stack.rows(
          `select from hookwright.stats_progress where minutes_until > now() - interval '3 minutes'
             and hours_until > now() - interval '2 hours'`,
        )
      ).length === 1,
    30_000,
  );
  const sums = `tenant_id <> 0 and resolution = 'HOUR' and webhook_id = 0 and event_type = ''`;
  expect(await stack.rows(`select successes from hookwright.delivery_stats where ${sums}`)).toEqual([{ successes: 1 }]);
  for (const resolution of ['MINUTE', 'HOUR', 'DAY'] as const) {
    expect(totalOf(await read(resolution)), resolution).toMatchObject({ successes: 1, durations: 1 });
  }
});
