import { describe, expect, test } from 'vitest';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf, openGraphql } from '../support/graphql-api.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const { api, tenant, read } = await openGraphql();
const stranger = await makeTenant(api.services);
const platform = await makeKey(api.services, null, ['platform:read']);
const webhookId = (await makeWebhook(api.services, tenant.id)).id;
const otherId = (await makeWebhook(api.services, tenant.id)).id;
const now = Math.floor(Date.now() / MINUTE) * MINUTE;
const minute = (ago: number) => new Date(now - ago * MINUTE).toISOString();
const range = `since: "${minute(6)}", until: "${minute(-1)}", resolution: MINUTE`;

await api.owner.query('delete from hookwright.queue_gaps');
await api.owner.query(`update hookwright.queue_progress set counted_until = '${minute(1)}'`);
await api.owner.query(
  `update hookwright.stats_progress set minutes_until = d, hours_until = d, days_until = d, minutes_from = d, hours_from = d
   from (select date_trunc('day', now() - interval '3 days') as d) as from_`,
);
for (const [tenantId, id, ago, due, others] of [
  [0, 0, 5, 9, false],
  [tenant.id, 0, 5, 4, false],
  [tenant.id, webhookId, 5, 3, false],
  [0, 0, 4, 8, true],
] as const) {
  await api.owner.query(`insert into hookwright.queue_stats values ($1, $2, 'MINUTE', $3, $4, 2, 61, $4 = 3, $5)`, [
    tenantId,
    id,
    minute(ago),
    due,
    others,
  ]);
}
/** As outcomes write them. */
const fail = (reason: string, failures: number, ago: number, id = webhookId) =>
  api.owner.query(`insert into hookwright.failure_stats values ($1, $2, $3, 'MINUTE', $4, $5)`, [
    tenant.id,
    id,
    reason,
    minute(ago),
    failures,
  ]);
await fail('TIMEOUT', 2, 5);
await fail('HTTP_503', 5, 4);
await fail('TIMEOUT', 4, 4, otherId);
await rollUpStats(api.owner);
await fail('HTTP_503', 1, 0);

const queue = (args = range) =>
  `queueStats(${args}) { since resolution buckets { start due held oldestSeconds isMore } }`;
const failures = (args = range) =>
  `failureStats(${args}) { since until resolution reasons { reason failures buckets } }`;
const dues = (stats: { buckets: { due: number | null }[] }) => stats.buckets.map(({ due }) => due);

describe('the queue over time', () => {
  test('is that of the tenant, of a webhook, and of the installation for a platform key', async () => {
    const { queueStats } = await read(`{ ${queue()} }`);
    expect(queueStats).toMatchObject({ since: new Date(minute(6)).toISOString().replace('.000Z', '+00:00') });
    // Where not every webhook was counted, a tenant without a row may have had a queue.
    expect(dues(queueStats)).toEqual([0, 4, null, 0, 0, 0, null]);
    expect(queueStats.buckets[1]).toMatchObject({ held: 2, oldestSeconds: 61, isMore: false });
    const { webhook } = await read(`{ webhook(id: "${webhookId}") { ${queue()} } }`);
    expect(dues(webhook.queueStats)).toEqual([0, 3, null, 0, 0, 0, null]);
    expect(webhook.queueStats.buckets[1]).toMatchObject({ isMore: true });
    expect(await read(`{ ${queue(`${range}, webhookId: "${webhookId}"`)} }`)).toEqual(webhook);
    const all = dataOf(await api.by(platform).ask(`{ installation { ${queue()} } }`));
    expect(dues(all.installation.queueStats)).toEqual([0, 9, 8, 0, 0, 0, null]);
  });

  test('has no figures of the future, and of minutes that nobody counted yet', async () => {
    const late = `since: "${minute(2)}", until: "${minute(-2)}", resolution: MINUTE`;
    expect(dues((await read(`{ ${queue(late)} }`)).queueStats)).toEqual([0, 0, null, null]);
  });
});

describe('failures by reason', () => {
  test('are those of the tenant, of a webhook, and of the installation, those of the last minute included', async () => {
    const { failureStats } = await read(`{ ${failures()} }`);
    expect(failureStats.reasons).toEqual([
      { reason: 'HTTP_503', failures: 6, buckets: [0, 0, 5, 0, 0, 0, 1] },
      { reason: 'TIMEOUT', failures: 6, buckets: [0, 2, 4, 0, 0, 0, 0] },
    ]);
    const { webhooks } = await read(`{ webhooks(first: 5) { nodes: edges { node { databaseId ${failures()} } } } }`);
    const byId = new Map(
      webhooks.nodes.map(({ node }: { node: { databaseId: number; failureStats: typeof failureStats } }) => [
        node.databaseId,
        node.failureStats.reasons,
      ]),
    );
    expect(byId.get(otherId)).toEqual([{ reason: 'TIMEOUT', failures: 4, buckets: [0, 0, 4, 0, 0, 0, 0] }]);
    const all = dataOf(await api.by(platform).ask(`{ installation { ${failures()} } }`));
    expect(all.installation.failureStats.reasons).toEqual([
      { reason: 'TIMEOUT', failures: 6, buckets: [0, 2, 4, 0, 0, 0, 0] },
      { reason: 'HTTP_503', failures: 5, buckets: [0, 0, 5, 0, 0, 0, 0] },
    ]);
  });

  test('are the same in hours', async () => {
    const since = new Date(now - 2 * HOUR).toISOString();
    const { failureStats } = await read(`{ ${failures(`since: "${since}", resolution: HOUR`)} }`);
    expect(failureStats.reasons.map(({ failures: sum }: { failures: number }) => sum)).toEqual([6, 6]);
  });
});

describe('both', () => {
  test('are empty for another tenant, which does not find the webhook', async () => {
    const own = dataOf(await api.by(stranger).ask(`{ ${queue()} ${failures()} }`));
    expect(dues(own.queueStats)).toEqual([0, 0, null, 0, 0, 0, null]);
    expect(own.failureStats.reasons).toEqual([]);
    for (const field of [queue, failures]) {
      const asked = `{ ${field(`${range}, webhookId: "${webhookId}"`)} }`;
      expect(codesOf(await api.by(stranger).ask(asked))).toEqual(['NOT_FOUND']);
    }
    expect(codesOf(await api.by(stranger).ask(`{ installation { ${queue()} } }`))).toEqual(['FORBIDDEN']);
  });

  test('need deliveries:read, and a range that is kept', async () => {
    const reader = await makeKey(api.services, tenant.id, ['webhooks:read']);
    const tooFar = `since: "2020-01-01T00:00:00Z", resolution: MINUTE`;
    for (const field of [queue, failures]) {
      expect(codesOf(await api.by(reader).ask(`{ ${field()} }`))).toEqual(['FORBIDDEN']);
      const refused = await api.by(tenant).ask(`{ ${field(tooFar)} }`);
      expect(refused.errors[0].extensions.errors[0]).toMatchObject({ path: ['since'], code: 'out_of_range' });
    }
  });

  test('are seen by a session of the portal, those of its own tenant', async () => {
    await using site = await DashboardSite.open();
    const [own, other] = [await makeTenant(site.services), await makeTenant(site.services)];
    await site.owner.query('delete from hookwright.queue_gaps');
    await site.owner.query(`update hookwright.queue_progress set counted_until = date_trunc('minute', now())`);
    await site.owner.query(`insert into hookwright.queue_stats values ($1, 0, 'MINUTE', $2, 4, 2, 61, false, false)`, [
      own.id,
      minute(5),
    ]);
    await site.owner.query(`insert into hookwright.failure_stats values ($1, 7, 'TIMEOUT', 'MINUTE', $2, 3)`, [
      own.id,
      minute(0),
    ]);
    for (const [{ key }, due, reasons] of [
      [own, [0, 4, 0, 0, 0], ['TIMEOUT']],
      [other, [0, 0, 0, 0, 0], []],
    ] as const) {
      const session = await site.openSession(key);
      const asked = `{ ${queue()} ${failures(`since: "${minute(6)}"`)} installation { ${queue()} } }`;
      const { data } = await site.ask(asked, {}, session);
      expect(dues(data.queueStats).slice(0, 5)).toEqual(due);
      expect(data.failureStats.reasons.map(({ reason }: { reason: string }) => reason)).toEqual(reasons);
      expect(data.installation).toBeNull();
    }
  });
});
