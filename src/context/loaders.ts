import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import type { Database } from '../database/database.js';
import { FRESH, PLATFORM } from '../database/tenant-database.js';
import type { StatsCounts } from '../domain/stats/stats.js';
import { Attempt } from '../entities/attempt.js';
import { Delivery } from '../entities/delivery.js';
import { Event } from '../entities/event.js';
import { Webhook } from '../entities/webhook.js';
import { readEndpointStates } from '../operations/attempts/endpoint-states.js';
import type { EventTypeRegistry } from '../operations/event-types/event-type-registry.js';
import { type FanOutItem, type FanOutQuestion, readFanOut } from '../operations/explorer/fan-out.js';
import type { Bounds } from '../operations/explorer/page.js';
import {
  type DeliveryConditions,
  pageDeliveriesByEvent,
  pageDeliveriesByWebhook,
} from '../operations/explorer/page-deliveries.js';
import {
  countHeld,
  readFailuresOfWebhooks,
  readNextAttempts,
  readWebhookBacklogs,
} from '../operations/explorer/read-backlog.js';
import {
  answerBodies,
  answerHeaders,
  deliveryBodies,
  eventBodies,
  type LongTexts,
} from '../operations/explorer/read-bodies.js';
import type { SearchSlots } from '../operations/explorer/search.js';
import { readStats, readStatsOfTenants, type StatsQuestion } from '../operations/stats/read-stats.js';
import { countWebhooksOfTenants, readBacklogsOfTenants, readTenants } from '../operations/tenants/read-usage.js';
import type { Config } from '../settings/config.js';
import type { AnswerBudget } from './answer-budget.js';

/** What a request's context has for them. */
interface LoaderContext {
  readonly em: EntityManager;
  db: Database;
  /** Null: nothing is found. */
  tenantId: number | null;
  eventTypes: EventTypeRegistry;
  searches: SearchSlots;
  config: Config;
  clock: () => Date;
  readonly budget: AnswerBudget;
}

/** Nested fields of one request, each read by one query however many parents there are. */
export type Loaders = ReturnType<typeof createLoaders>;

/** Batches, but does not remember: a request with several mutations must see each one's effect. */
const uncached = { cache: false } as const;

export function createLoaders(context: LoaderContext) {
  return {
    eventById: byId((ids) => context.em.find(Event, { id: { $in: ids } }, FRESH)),
    /** Null once it is deleted. */
    webhookById: byId((ids) => context.em.find(Webhook, { id: { $in: ids } }, FRESH)),
    deliveriesByEvent: groupedBy<WantedOfEvent, Delivery>(
      context,
      { questionOf: ({ bounds }) => bounds, parentOf: ({ eventId }) => eventId },
      async (tenantId, [{ bounds }], ids) => {
        const deliveries = await pageDeliveriesByEvent(context, tenantId, ids, bounds);
        return Map.groupBy(deliveries, ({ eventId }) => eventId);
      },
    ),
    deliveryById: byId((ids) => context.em.find(Delivery, { id: { $in: ids } }, FRESH)),
    bodyByEvent: longTextBy(context, eventBodies),
    bodyBytesByEvent: perIdOfTenant(context, eventBodies.measure),
    bodyByDelivery: longTextBy(context, deliveryBodies),
    answerBodyByAttempt: longTextBy(context, answerBodies),
    answerHeadersByAttempt: longTextBy(context, answerHeaders),
    fanOutOfEvent: groupedBy<FanOutQuestion, FanOutItem>(
      context,
      { questionOf: ({ bounds }) => bounds, parentOf: ({ event }) => event.id },
      (tenantId, questions) => {
        const { retentionDays } = context.config;
        return readFanOut(context, tenantId, questions, { retentionDays, now: context.clock() });
      },
    ),
    attemptsByDelivery: groupedBy<WantedAttempts, Attempt>(
      context,
      { questionOf: ({ after }) => after, parentOf: ({ deliveryId }) => deliveryId },
      async (_, [{ after }], ids) => {
        const wanted = { deliveryId: { $in: ids }, number: { $gt: after } };
        const rows = await context.em.find(Attempt, wanted, { ...FRESH, orderBy: { number: 'asc' } });
        return Map.groupBy(rows, ({ deliveryId }) => deliveryId);
      },
    ),
    versionsByEventType: new DataLoader(async (names: readonly string[]) => {
      const versions = Map.groupBy(await context.eventTypes.versions(names), ({ eventType }) => eventType);
      return names.map((name) => versions.get(name) ?? []);
    }, uncached),
    heldCountByWebhook: perIdOfTenant(context, countHeld),
    backlogByWebhook: perIdOfTenant(context, readWebhookBacklogs),
    nextAttemptsByWebhook: perIdOfTenant(context, readNextAttempts),
    failuresByWebhook: perIdOfTenant(context, readFailuresOfWebhooks),
    endpointStateByWebhook: perIdOfTenant(context, readEndpointStates),
    statsByWebhook: groupedBy<StatsQuestion & { webhookId: number }, StatsCounts>(
      context,
      { questionOf: ({ webhookId: _, ...question }) => question, parentOf: ({ webhookId }) => webhookId },
      (tenantId, [question], ids) => readStats(context, tenantId, ids, question),
    ),
    tenantById: byId((ids) => readTenants(context.db, ids)),
    webhookCountByTenant: perId((ids) => countWebhooksOfTenants(context.db, ids)),
    backlogByTenant: perId((ids) => readBacklogsOfTenants(context.db, ids)),
    statsByTenant: groupedBy<StatsQuestion & { tenantId: number }, StatsCounts>(
      { tenantId: PLATFORM },
      { questionOf: ({ tenantId: _, ...question }) => question, parentOf: ({ tenantId }) => tenantId },
      (_, [question], ids) => readStatsOfTenants(context, ids, question),
    ),
    deliveriesByWebhook: groupedBy<WantedPage, Delivery>(
      context,
      { questionOf: ({ page }) => page, parentOf: ({ webhookId }) => webhookId },
      async (tenantId, [{ page }], ids) => {
        const { conditions, bounds } = page;
        const deliveries = await pageDeliveriesByWebhook(context, tenantId, ids, conditions, bounds);
        return Map.groupBy(deliveries, ({ webhookId }) => webhookId);
      },
    ),
  };
}

interface WantedPage {
  webhookId: number;
  page: { conditions: DeliveryConditions; bounds: Bounds };
}

interface WantedAttempts {
  deliveryId: number;
  /** Those with higher numbers. */
  after: number;
}

interface WantedOfEvent {
  eventId: number;
  bounds: Bounds;
}

/**
 * Parents of which the same is asked share a query. Without a tenant there is nothing.
 *
 * @param read answers with what each parent has, for a group of which the same is asked; `parents` has each one once
 */
function groupedBy<Wanted, Item>(
  context: Pick<LoaderContext, 'tenantId'>,
  { questionOf, parentOf }: { questionOf: (wanted: Wanted) => unknown; parentOf: (wanted: Wanted) => number },
  read: (
    tenantId: number,
    group: readonly [Wanted, ...Wanted[]],
    parents: number[],
  ) => Promise<ReadonlyMap<number, Item[]>>,
): DataLoader<Wanted, Item[]> {
  return new DataLoader(async (wanted: readonly Wanted[]) => {
    const { tenantId } = context;
    if (tenantId === null) {
      return wanted.map(() => []);
    }
    const found = new Map<Wanted, Item[]>();
    for (const group of Map.groupBy(wanted, (one) => JSON.stringify(questionOf(one))).values()) {
      const items = await read(tenantId, group as [Wanted, ...Wanted[]], [...new Set(group.map(parentOf))]);
      for (const one of group) {
        found.set(one, items.get(parentOf(one)) ?? []);
      }
    }
    return wanted.map((one) => found.get(one) ?? []);
  }, uncached);
}

/** What each webhook or event of the tenant has, read by one query for all. Without a tenant none has anything. */
function perIdOfTenant<Item>(
  { db, tenantId }: LoaderContext,
  read: (db: LoaderContext['db'], tenantId: number, ids: readonly number[]) => Promise<ReadonlyMap<number, Item>>,
): DataLoader<number, Item | null> {
  return perId(async (ids) => (tenantId === null ? new Map() : await read(db, tenantId, ids)));
}

/** What each has, read for all at once; null for one that has nothing. */
function perId<Item>(
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Item>>,
): DataLoader<number, Item | null> {
  return new DataLoader<number, Item | null>(async (ids) => {
    const found = await read([...new Set(ids)]);
    return ids.map((id) => found.get(id) ?? null);
  }, uncached);
}

/** Texts for which the answer has no room are not read: whoever asked for them gets an ApiError answer_too_large. */
function longTextBy<Key, Text>(
  { db, tenantId, budget }: LoaderContext,
  { measure, read }: LongTexts<Key, Text>,
): DataLoader<Key, Text | null> {
  return new DataLoader<Key, Text | null>(async (keys) => {
    if (tenantId === null) {
      return keys.map(() => null);
    }
    const bytes = await measure(db, tenantId, [...new Set(keys)]);
    // Each time that a text is asked for it stands in the answer once more.
    const refusals = keys.map((key) => budget.take(bytes.get(key) ?? 0));
    const taken = new Set(keys.filter((key, index) => bytes.has(key) && refusals[index] === null));
    const texts: Map<Key, Text> = taken.size === 0 ? new Map() : await read(db, tenantId, [...taken]);
    return keys.map((key, index) => refusals[index] ?? texts.get(key) ?? null);
  }, uncached);
}

/** Rows by id, each read once; null for one that is not there. */
function byId<Node extends { id: number }>(read: (ids: number[]) => Promise<Node[]>): DataLoader<number, Node | null> {
  return new DataLoader(async (ids) => {
    const found = new Map((await read([...new Set(ids)])).map((node) => [node.id, node]));
    return ids.map((id) => found.get(id) ?? null);
  }, uncached);
}
