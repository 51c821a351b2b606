import { describe, expect, test } from 'vitest';
import { searchQuery } from '../../src/api/graphql/fields/connection.js';
import { containing } from '../../src/api/graphql/fields/input.js';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { Webhook } from '../../src/entities/webhook.js';
import { countDeliveries } from '../../src/operations/explorer/count-deliveries.js';
import { type DeliveryConditions, pageDeliveries } from '../../src/operations/explorer/page-deliveries.js';
import { countHeld, readClosedBacklogOfTenant, readTenantBacklog } from '../../src/operations/explorer/read-backlog.js';
import {
  countFailing,
  listFailingTenants,
  listFailingWebhooks,
} from '../../src/operations/installation/failing-webhooks.js';
import { rankTenants, type TenantRanking } from '../../src/operations/installation/top-tenants.js';
import { type Ranking, readTopWebhooks } from '../../src/operations/installation/top-webhooks.js';
import { readStats, readStatsOfAll } from '../../src/operations/stats/read-stats.js';
import { readBacklogsOfTenants } from '../../src/operations/tenants/read-usage.js';
import { tenantEntityManager } from '../../src/platform/database/tenant-database.js';
import { LARGEST, ManyWebhooks, tenantIds, webhookIds } from '../support/many-webhooks.js';
import { plansOf, scanned } from '../support/plans.js';

/** Of a statement: a look for each webhook in each day takes hundred thousands. */
const BLOCKS_MAX = 3_000;

const many = new ManyWebhooks();
const webhooksOfLargest = webhookIds.map((webhookId) => ({ webhookId, tenantId: LARGEST }));
const bounds = { above: 0, below: Number.MAX_SAFE_INTEGER, order: 'desc', limit: 51 } as const;
const ofLargest = (filter: DeliveryConditions) => () => pageDeliveries(many.deps, LARGEST, filter, bounds);
const inactive = () =>
  tenantEntityManager(many.db.orm.em, LARGEST).find(
    Webhook,
    { active: false },
    { orderBy: { id: 'desc' }, limit: 51, disableIdentityMap: true },
  );
const named = () => {
  const em = tenantEntityManager(many.db.orm.em, LARGEST);
  return searchQuery(em, Webhook, { url: containing('EXAMPLE') })({
    above: null,
    below: null,
    order: 'desc',
    limit: 51,
  });
};

describe('an installation with many webhooks', () => {
  test.each<[what: string, tenantId: number, work: () => Promise<unknown>]>([
    ['counts those that fail', 0, () => countFailing(many.deps, INSTALLATION_TENANT)],
    ['lists the webhooks that fail', 0, () => listFailingWebhooks(many.deps, 50, INSTALLATION_TENANT)],
    ['lists the tenants of those', 0, () => listFailingTenants(many.deps, 50, false)],
    ['ranks webhooks by what they still have to get', 0, topOf('BACKLOG')],
    ['ranks webhooks by attempts', 0, topOf('ATTEMPTS')],
    ['ranks webhooks by failures', 0, topOf('FAILURES')],
    ['ranks webhooks by latency', 0, topOf('LATENCY')],
    ['ranks webhooks by their longest wait', 0, topOf('WAIT')],
    ['ranks tenants by failures', 0, tenantsBy('FAILURES')],
    ['ranks tenants by attempts', 0, tenantsBy('ATTEMPTS')],
    ['ranks tenants by what they still have to get', 0, tenantsBy('BACKLOG')],
    ['ranks tenants by their longest wait', 0, tenantsBy('WAIT')],
    ['reads statistics of webhooks of any tenant', 0, () => readStatsOfAll(many.deps, webhooksOfLargest, lastDay())],
    ['reads statistics of its largest tenant', LARGEST, () => readStats(many.deps, LARGEST, webhookIds, lastDay())],
    ['reads the backlogs of a page of tenants', 0, () => readBacklogsOfTenants(many.db, tenantIds)],
    ['reads the backlog of its largest tenant', LARGEST, () => readTenantBacklog(many.db, LARGEST)],
    ['reads what waits there for pauses', LARGEST, () => readClosedBacklogOfTenant(many.db, LARGEST)],
    ['counts what a page of webhooks holds', LARGEST, () => countHeld(many.db, LARGEST, webhookIds)],
    ['lists its inactive webhooks', LARGEST, inactive],
    ['finds its webhooks by a text that all have', LARGEST, named],
    ['lists its pending deliveries', LARGEST, ofLargest({ status: 'PENDING' })],
    ['lists its held deliveries', LARGEST, ofLargest({ status: 'HELD' })],
    ['lists its retries', LARGEST, ofLargest({ retrying: true })],
    ['counts its held deliveries', LARGEST, () => countDeliveries(many.deps, LARGEST, { status: 'HELD' }, bounds)],
  ])('%s without reading all', async (_, tenantId, work) => {
    for (const done of await plansOf(many.db.pool, tenantId, work)) {
      expect(scanned(done), done.text).not.toContain('webhooks');
      expect(scanned(done), done.text).not.toContain('deliveries');
      expect(scanned(done), done.text).not.toContain('delivery_stats');
      expect(done.blocks, done.text).toBeLessThan(BLOCKS_MAX);
    }
  });
});

function lastDay() {
  const until = new Date();
  const range = { resolution: 'HOUR' as const, since: new Date(until.getTime() - 86_400_000), until };
  return { range, eventType: null, inBuckets: true };
}

const tenantsBy = (by: TenantRanking) => () =>
  rankTenants(many.deps, { by, since: new Date(Date.now() - 86_400_000), first: 50 });

function topOf(by: Ranking) {
  return () =>
    readTopWebhooks(many.deps, {
      by,
      since: new Date(Date.now() - 86_400_000),
      first: 50,
      leastTenant: INSTALLATION_TENANT,
    });
}
