import { describe, expect, test } from 'vitest';
import { ERASE } from '../../src/domain/keys/scopes.js';
import { eventually } from '../support/eventually.js';
import { good } from './support/endpoints.js';
import { sharedGround } from './support/ground.js';
import { DUPLICATES_OF_ONE_MAX, Site } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

const MINUTE = 60_000;
const TEST_MS = isLong ? 40 * MINUTE : 6 * MINUTE;
const FINISH_MS = isLong ? 30 * MINUTE : 4 * MINUTE;
const ATTEMPTS_BEFORE = 6;
const SINCE = '2025-01-01T00:00:00+00:00';
const FIELDS = 'total bulkOperation { id }';

interface Progress {
  status: string;
  affected: number;
  skipped: number;
}

/** Past events, and perhaps what became of each: a delivery that has failed for good. */
async function makePast(site: Site, webhookId: number, count: number, delivered: boolean): Promise<void> {
  await site.rows(
    `with emitted as (
       insert into hookwright.events (id, tenant_id, event_type, body)
       select hookwright.next_id(), tenant_id, 'coupon.applied', '{"code":"X","discount_type":"Y"}'
       from hookwright.webhooks, generate_series(1, ${count}) where id = ${webhookId}
       returning id, tenant_id)
     insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, finished_at)
     select hookwright.next_id(), tenant_id, id, ${webhookId}, 'coupon.applied', 'FAILED', ${ATTEMPTS_BEFORE}, now()
     from emitted where ${delivered}`,
  );
}

const starts = {
  recoverWebhook: (webhookId: number) =>
    `recoverWebhook(input: {id: "${webhookId}", filter: {since: "${SINCE}"}}) { ${FIELDS} }`,
  replayEvents: (webhookId: number) =>
    `replayEvents(input: {webhookId: "${webhookId}", filter: {since: "${SINCE}"}}) { ${FIELDS} }`,
};

describe('an erasure whose daemons are killed', () => {
  const count = size('FAULTS_ERASED_EVENTS', 3_000, 1_000_000);

  test(`of ${count}: it resumes and erases each once`, { timeout: TEST_MS }, async () => {
    await using site = await Site.open(await sharedGround());
    const webhookId = await site.addWebhook('quick', good);
    await makePast(site, webhookId, count, true);
    const eraser = await site.keyWith([ERASE, 'deliveries:read']);
    const erase = (input: string) =>
      site.ask<{ started: { total: number; bulkOperation: { id: string } } }>(
        `mutation { started: eraseEvents(input: {filter: {since: "${SINCE}"}, ${input}}) { ${FIELDS} } }`,
        {},
        eraser,
      );
    expect((await erase('dryRun: true')).started.total).toBe(count);
    const { started } = await erase(`confirm: ${count}, reason: "r"`);
    await site.rows('update hookwright.bulk_operations set begins_at = null');
    const daemons = await Promise.all([site.startDaemon(), site.startDaemon()]);
    const progress = async () => {
      const query = `{ bulkOperation(id: "${started.bulkOperation.id}") { status affected skipped } }`;
      return (await site.ask<{ bulkOperation: Progress }>(query)).bulkOperation;
    };
    await eventually(async () => (await progress()).affected >= count / 3, FINISH_MS);
    for (const daemon of daemons) {
      daemon.signal('SIGKILL');
    }
    await Promise.all(daemons.map(({ ended }) => ended));
    const { status, affected } = await progress();
    expect(status).toBe('RUNNING');
    expect(affected).toBeLessThan(count);
    await site.startDaemon();
    await eventually(async () => (await progress()).status === 'COMPLETED', FINISH_MS);
    expect(await progress()).toEqual({ status: 'COMPLETED', affected: count, skipped: 0 });
    const left = await site.rows(`select count(*)::integer as left from hookwright.events where body <> '{}'`);
    expect(left).toEqual([{ left: 0 }]);
    report('bulk eraseEvents', { count, killedAfter: affected });
  });
});

describe('a bulk operation whose daemons are killed', () => {
  const count = size('FAULTS_BULK_DELIVERIES', 2_000, 100_000);

  test.each(['recoverWebhook', 'replayEvents'] as const)(
    `%s of ${count}: it resumes and finishes, and nothing comes twice beyond what was in flight`,
    { timeout: TEST_MS },
    async (name) => {
      await using site = await Site.open(await sharedGround());
      const webhookId = await site.addWebhook('quick', good);
      const isRecovery = name === 'recoverWebhook';
      await makePast(site, webhookId, count, isRecovery);
      const daemons = await Promise.all([site.startDaemon(), site.startDaemon()]);
      const { started } = await site.ask<{ started: { total: number; bulkOperation: { id: string } } }>(
        `mutation { started: ${starts[name](webhookId)} }`,
      );
      expect(started.total).toBe(count);
      const progress = async () => {
        const query = `{ bulkOperation(id: "${started.bulkOperation.id}") { status affected skipped } }`;
        return (await site.ask<{ bulkOperation: Progress }>(query)).bulkOperation;
      };
      await eventually(async () => (await progress()).affected >= count / 2, FINISH_MS);
      for (const daemon of daemons) {
        daemon.signal('SIGKILL');
      }
      await Promise.all(daemons.map(({ ended }) => ended));
      const { status, affected } = await progress();
      expect(status).toBe('RUNNING');
      expect(affected).toBeLessThan(count);

      const killedAt = performance.now();
      await site.startDaemon();
      await eventually(async () => (await progress()).affected > affected, FINISH_MS);
      const resumedMs = performance.now() - killedAt;
      await eventually(async () => (await progress()).status === 'COMPLETED', FINISH_MS);
      await site.settled(FINISH_MS);
      expect(await progress()).toEqual({ status: 'COMPLETED', affected: count, skipped: 0 });

      const outcomes = await site.rows(
        `select status, attempt_count, count(*)::integer, count(distinct event_id)::integer as events
         from hookwright.deliveries group by 1, 2`,
      );
      const attempts = isRecovery ? ATTEMPTS_BEFORE + 1 : 1;
      expect(outcomes).toEqual([{ status: 'SUCCEEDED', attempt_count: attempts, count, events: count }]);
      const { receipts } = site.endpoints;
      const ids = new Set(receipts.map(({ deliveryId }) => deliveryId));
      expect(ids.size).toBe(count);
      const duplicates = receipts.length - ids.size;
      report(`bulk ${name}`, { count, killedAfter: affected, resumedMs, duplicates });
      // Of each daemon: requests in flight, and outcomes not yet committed.
      expect(duplicates).toBeLessThanOrEqual(daemons.length * DUPLICATES_OF_ONE_MAX);
    },
  );
});
