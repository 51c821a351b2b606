import type { StatsRange } from '../../domain/stats/stats.js';
import type { SearchDeps } from '../../operations/explorer/search.js';
import { readQueue } from '../../operations/queue/read-queue.js';
import { readFailures } from '../../operations/stats/read-failures.js';
import {
  readStats,
  readStatsOfAll,
  readStatsOfTenants,
  type StatsQuestion,
} from '../../operations/stats/read-stats.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { groupedBy } from './grouped-loader.js';

interface StatsContext extends SearchDeps {
  tenantId: number | null;
}

/** Statistics of webhooks and tenants, each question by one query. */
export function loadersOfStats(context: StatsContext) {
  return {
    statsByWebhook: groupedBy(
      context.tenantId,
      ({ webhookId, ...question }: StatsQuestion & { webhookId: number }) => [webhookId, question],
      (tenantId, [question], ids) => readStats(context, tenantId, ids, question),
    ),
    statsByWebhookOfAll: groupedBy(
      PLATFORM,
      ({ webhookId, tenantId: _, ...question }: StatsQuestion & { webhookId: number; tenantId: number }) => [
        webhookId,
        question,
      ],
      (_, group) => readStatsOfAll(context, group, group[0]),
    ),
    queueByWebhook: groupedBy(
      context.tenantId,
      ({ webhookId, range }: { webhookId: number; range: StatsRange }) => [webhookId, range],
      (tenantId, [{ range }], ids) => readQueue(context, tenantId, ids, range),
    ),
    failureStatsByWebhook: groupedBy(
      context.tenantId,
      ({ webhookId, range }: { webhookId: number; range: StatsRange }) => [webhookId, range],
      (tenantId, [{ range }], ids) => readFailures(context, tenantId, ids, range),
    ),
    statsByTenant: groupedBy(
      PLATFORM,
      ({ tenantId, ...question }: StatsQuestion & { tenantId: number }) => [tenantId, question],
      (_, [question], ids) => readStatsOfTenants(context, ids, question),
    ),
  };
}
