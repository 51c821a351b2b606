import type { EntityManager } from '@mikro-orm/postgresql';
import DataLoader from 'dataloader';
import { ApiKey } from '../../entities/api-key.js';
import { Attempt } from '../../entities/attempt.js';
import { Delivery } from '../../entities/delivery.js';
import { Event } from '../../entities/event.js';
import { Webhook } from '../../entities/webhook.js';
import { WebhookOptions } from '../../entities/webhook-options.js';
import { readEndpointStates } from '../../operations/attempts/endpoint-states.js';
import type { EventTypeCatalogue } from '../../operations/event-types/installation-types.js';
import { type FanOutItem, type FanOutQuestion, readFanOut } from '../../operations/explorer/fan-out.js';
import type { Bounds } from '../../operations/explorer/page.js';
import {
  type DeliveryConditions,
  pageDeliveriesByEvent,
  pageDeliveriesByWebhook,
} from '../../operations/explorer/page-deliveries.js';
import {
  countHeld,
  readFailuresOfWebhooks,
  readNextAttempts,
  readWebhookBacklogs,
} from '../../operations/explorer/read-backlog.js';
import {
  answerBodies,
  answerHeaders,
  eventBodies,
  formerStates,
  type LongTexts,
  readPreviews,
  scheduledBodies,
} from '../../operations/explorer/read-bodies.js';
import { deliveryContents } from '../../operations/explorer/read-sent-contents.js';
import type { SearchSlots } from '../../operations/explorer/search.js';
import { readWebhookNames } from '../../operations/installation/webhook-names.js';
import type { Caller } from '../../operations/keys/authenticate.js';
import { readHeads } from '../../operations/ordering/read-keys.js';
import type { Conversions } from '../../operations/releases/conversions.js';
import type { Releases } from '../../operations/releases/releases.js';
import { readSigningKeys } from '../../operations/signing-keys/read-signing-keys.js';
import { countWebhooksOfTenants, readBacklogsOfTenants, readTenants } from '../../operations/tenants/read-usage.js';
import { readNextProbes } from '../../operations/webhooks/probe-webhooks.js';
import { readVerifications } from '../../operations/webhooks/read-verifications.js';
import { readTokenFailures } from '../../operations/webhooks/token-failures.js';
import type { Database } from '../../platform/database/database.js';
import { FRESH, tenantEntityManager, UNFILTERED } from '../../platform/database/tenant-database.js';
import type { Config } from '../../platform/settings/config.js';
import { groupedBy, uncached } from './grouped-loader.js';
import type { AnswerBudget } from './memory-budget.js';
import { loadersOfStats } from './stats-loaders.js';

interface LoaderContext {
  readonly em: EntityManager;
  db: Database;
  /** Without a tenant nothing is found. */
  tenantId: number | null;
  readonly caller: Caller | null;
  eventTypes: EventTypeCatalogue;
  releases: Releases;
  conversions: Conversions;
  searches: SearchSlots;
  config: Config;
  clock: () => Date;
  readonly budget: AnswerBudget;
}

/** Attempts with numbers above `after`, and not above `upTo`. */
export interface AttemptRange {
  after: number;
  upTo: number;
}

/** Read nested fields of a request by one query, however many parents there are. */
export type Loaders = ReturnType<typeof createLoaders>;

export const createLoaders = (context: LoaderContext) => ({
  ...loadersOfOne(context),
  ...loadersOfLists(context),
  ...loadersOfStats(context),
});

function loadersOfOne(context: LoaderContext) {
  const { db } = context;
  return {
    eventById: byId((ids) => context.em.find(Event, { id: { $in: ids } }, FRESH)),
    /** Null for a deleted webhook. */
    webhookById: byId((ids) => context.em.find(Webhook, { id: { $in: ids } }, FRESH)),
    optionsByWebhook: perId(async (ids) => {
      const rows = await context.em.find(WebhookOptions, { webhookId: { $in: [...ids] } }, FRESH);
      return new Map(rows.map((row) => [row.webhookId, row]));
    }),
    deliveryById: byId((ids) => context.em.find(Delivery, { id: { $in: ids } }, FRESH)),
    tenantById: byId((ids) => readTenants(db, ids)),
    apiKeyById: byId((ids) => readApiKeys(context, ids)),
    bodyByEvent: longTextBy(context, eventBodies),
    previousByEvent: longTextBy(context, formerStates),
    bodyBytesByEvent: perIdOfTenant(context, eventBodies.measure),
    bodyByScheduledEvent: longTextBy(context, scheduledBodies),
    contentByDelivery: longTextBy(context, deliveryContents(context.config, context.conversions)),
    answerBodyByAttempt: longTextBy(context, answerBodies),
    answerHeadersByAttempt: longTextBy(context, answerHeaders),
    headByDelivery: perIdOfTenant(context, readHeads),
    heldCountByWebhook: perIdOfTenant(context, countHeld),
    backlogByWebhook: perIdOfTenant(context, readWebhookBacklogs),
    nextAttemptsByWebhook: perIdOfTenant(context, readNextAttempts),
    failuresByWebhook: perIdOfTenant(context, readFailuresOfWebhooks),
    verificationByWebhook: perIdOfTenant(context, readVerifications),
    nextProbeByWebhook: perIdOfTenant(context, readNextProbes),
    endpointStateByWebhook: perIdOfTenant(context, readEndpointStates),
    tokenFailureByWebhook: perIdOfTenant(context, readTokenFailures),
    webhookCountByTenant: perId((ids) => countWebhooksOfTenants(db, ids)),
    signingKeysByTenant: perId((ids) => readSigningKeys(db, ids)),
    backlogByTenant: perId((ids) => readBacklogsOfTenants(db, ids)),
  };
}

const listsBy = <Name extends string, Row extends Record<Name, string>>(
  name: Name,
  read: (names: readonly string[]) => Promise<readonly Row[]>,
) =>
  new DataLoader(async (names: readonly string[]) => {
    const rows = Map.groupBy(await read(names), (row) => row[name]);
    return names.map((one) => rows.get(one as Row[Name]) ?? []);
  }, uncached);

function loadersOfLists(context: LoaderContext) {
  const { config, eventTypes, releases } = context;
  return {
    versionsByEventType: listsBy('eventType', (names) => eventTypes.versions(names)),
    versionsByRelease: listsBy('release', (names) => releases.versions(names)),
    /** URLs, names and external ids of webhooks of any tenant, for a platform key. */
    namesByWebhookOfAll: new DataLoader(async (webhooks: readonly { tenantId: number; webhookId: number }[]) => {
      const names = await readWebhookNames(context.db, webhooks);
      return webhooks.map(({ webhookId }) => names.get(webhookId) ?? null);
    }, uncached),
    /** At most one. */
    previewByEvent: groupedBy(
      context.tenantId,
      ({ eventId, text }: { eventId: number; text: string | null }) => [eventId, text],
      async (tenantId, [{ text }], ids) => {
        const previews = await readPreviews(context.db, tenantId, ids, text);
        return new Map([...previews].map(([id, preview]) => [id, [preview]]));
      },
    ),
    deliveriesByEvent: groupedBy(
      context.tenantId,
      ({ eventId, bounds }: { eventId: number; bounds: Bounds }) => [eventId, bounds],
      async (tenantId, [{ bounds }], ids) => {
        const rows = await pageDeliveriesByEvent(context, tenantId, ids, bounds);
        return Map.groupBy(rows, ({ eventId }) => eventId);
      },
    ),
    deliveriesByWebhook: groupedBy(
      context.tenantId,
      ({ webhookId, ...page }: { webhookId: number; conditions: DeliveryConditions; bounds: Bounds }) => [
        webhookId,
        page,
      ],
      async (tenantId, [{ conditions, bounds }], ids) => {
        const rows = await pageDeliveriesByWebhook(context, tenantId, ids, conditions, bounds);
        return Map.groupBy(rows, ({ webhookId }) => webhookId);
      },
    ),
    fanOutOfEvent: groupedBy(
      context.tenantId,
      ({ event, bounds }: FanOutQuestion) => [event.id, bounds],
      (tenantId, questions): Promise<ReadonlyMap<number, FanOutItem[]>> =>
        readFanOut(context, tenantId, questions, { retentionDays: config.retentionDays, now: context.clock() }),
    ),
    attemptsByDelivery: groupedBy(
      context.tenantId,
      ({ deliveryId, ...range }: AttemptRange & { deliveryId: number }) => [deliveryId, range],
      async (_, [{ after, upTo }], ids) => {
        const wanted = { deliveryId: { $in: ids }, number: { $gt: after, $lte: upTo } };
        const rows = await context.em.find(Attempt, wanted, { ...FRESH, orderBy: { number: 'asc' } });
        return Map.groupBy(rows, ({ deliveryId }) => deliveryId);
      },
    ),
  };
}

/** Keys of the tenant, and for a platform key also those of the platform. */
async function readApiKeys({ em, db, tenantId, caller }: LoaderContext, ids: number[]): Promise<ApiKey[]> {
  const ofTenant = tenantId === null ? [] : em.find(ApiKey, { id: { $in: ids }, tenantId }, UNFILTERED);
  const platform = tenantEntityManager(db.orm.em, null);
  const ofPlatform =
    caller?.tenantId === null ? platform.find(ApiKey, { id: { $in: ids }, tenantId: null }, UNFILTERED) : [];
  return (await Promise.all([ofTenant, ofPlatform])).flat();
}

/** Reads one item for each id by one query; null for an id without one. */
function perId<Item>(
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Item>>,
): DataLoader<number, Item | null> {
  return new DataLoader<number, Item | null>(async (ids) => {
    const found = await read([...new Set(ids)]);
    return ids.map((id) => found.get(id) ?? null);
  }, uncached);
}

const byId = <Node extends { id: number }>(read: (ids: number[]) => Promise<Node[]>) =>
  perId(async (ids) => new Map((await read([...ids])).map((node) => [node.id, node])));

const perIdOfTenant = <Item>(
  { db, tenantId }: LoaderContext,
  read: (db: Database, tenantId: number, ids: readonly number[]) => Promise<ReadonlyMap<number, Item>>,
) => perId(async (ids) => (tenantId === null ? new Map<number, Item>() : await read(db, tenantId, ids)));

/** Reads texts that fit into the budget of the answer. The others are ApiErrors answer_too_large. */
function longTextBy<Key, Text>(
  { db, tenantId, budget }: LoaderContext,
  { measure, read }: LongTexts<Key, Text>,
): DataLoader<Key, Text | null> {
  return new DataLoader<Key, Text | null>(async (keys) => {
    if (tenantId === null) {
      return keys.map(() => null);
    }
    const bytes = await measure(db, tenantId, [...new Set(keys)]);
    // A text that is selected several times is in the answer several times.
    const refusals = keys.map((key) => budget.reserve(bytes.get(key) ?? 0));
    const taken = new Set(keys.filter((key, index) => bytes.has(key) && refusals[index] === null));
    const texts: Map<Key, Text> = taken.size === 0 ? new Map() : await read(db, tenantId, [...taken]);
    return keys.map((key, index) => refusals[index] ?? texts.get(key) ?? null);
  }, uncached);
}
