import DataLoader from 'dataloader';
import type { Context } from '../context.js';
import { Attempt } from '../entities/attempt.js';
import { Delivery } from '../entities/delivery.js';
import { Event } from '../entities/event.js';
import { Webhook } from '../entities/webhook.js';
import { readEndpointStates } from '../operations/endpoint-states.js';
import { type FanOutItem, type FanOutQuestion, readFanOut } from '../operations/fan-out.js';
import {
  type DeliveryConditions,
  pageDeliveriesByEvent,
  pageDeliveriesByWebhook,
} from '../operations/page-deliveries.js';
import { countHeld, readWebhookBacklogs } from '../operations/read-backlog.js';
import { readBodies } from '../operations/read-bodies.js';
import type { Bounds } from '../operations/search.js';

type LoaderContext = Pick<Context, 'em' | 'db' | 'tenantId' | 'eventTypes' | 'searches' | 'config' | 'clock'>;

/** Nested fields of one request, each read by one query however many parents there are. */
export type Loaders = ReturnType<typeof createLoaders>;

/** Rows are read afresh, past the identity map: a mutation may have changed them by SQL just before. */
const fresh = { disableIdentityMap: true } as const;

/** Batches, but does not remember: a request with several mutations must see each one's effect. */
const uncached = { cache: false } as const;

export function createLoaders(context: LoaderContext) {
  return {
    eventById: one((ids) => context.em.find(Event, { id: { $in: ids } }, fresh)),
    /** Null once it is deleted. */
    webhookById: one((ids) => context.em.find(Webhook, { id: { $in: ids } }, fresh)),
    /** Events that are asked for the same page share a query. */
    deliveriesByEvent: new DataLoader(
      (wanted: readonly WantedOfEvent[]) => readPagesOfEvents(context, wanted),
      uncached,
    ),
    deliveryById: one((ids) => context.em.find(Delivery, { id: { $in: ids } }, fresh)),
    bodyByDelivery: new DataLoader(async (ids: readonly number[]) => {
      const { db, tenantId } = context;
      const bodies = tenantId === null ? new Map() : await readBodies(db, tenantId, ids);
      return ids.map((id): string | null => bodies.get(id) ?? null);
    }, uncached),
    /** Events that are asked for the same part of their fan-out share a query. */
    fanOutOfEvent: new DataLoader(
      (questions: readonly FanOutQuestion[]) => readFanOuts(context, questions),
      uncached,
    ),
    attemptsByDelivery: many(
      (ids) =>
        context.em.find(Attempt, { deliveryId: { $in: ids } }, { ...fresh, orderBy: { number: 'asc' } }),
      ({ deliveryId }) => deliveryId,
    ),
    versionsByEventType: new DataLoader(async (names: readonly string[]) => {
      const versions = Map.groupBy(await context.eventTypes.versions(names), ({ eventType }) => eventType);
      return names.map((name) => versions.get(name) ?? []);
    }, uncached),
    heldCountByWebhook: new DataLoader(async (ids: readonly number[]) => {
      const held = context.tenantId === null ? new Map() : await countHeld(context.db, context.tenantId, ids);
      return ids.map((id) => held.get(id) ?? 0);
    }, uncached),
    backlogByWebhook: new DataLoader(async (ids: readonly number[]) => {
      // Without a tenant nobody gets here, and no webhook has anything for nobody.
      const backlogs = await readWebhookBacklogs(context.db, context.tenantId ?? 0, [...new Set(ids)]);
      return ids.map((id) => backlogs.get(id)!);
    }, uncached),
    endpointStateByWebhook: new DataLoader(async (ids: readonly number[]) => {
      const { db, tenantId } = context;
      const states = tenantId === null ? new Map() : await readEndpointStates(db, tenantId, ids);
      return ids.map((id) => states.get(id) ?? null);
    }, uncached),
    /** Webhooks that are asked for the same page share a query. */
    deliveriesByWebhook: new DataLoader(
      (wanted: readonly WantedPage[]) => readPages(context, wanted),
      uncached,
    ),
  };
}

interface WantedPage {
  webhookId: number;
  page: { conditions: DeliveryConditions; bounds: Bounds };
}

async function readPages(context: LoaderContext, wanted: readonly WantedPage[]): Promise<Delivery[][]> {
  const { tenantId } = context;
  if (tenantId === null) {
    return wanted.map(() => []);
  }
  const samePages = Map.groupBy(wanted, ({ page }) => JSON.stringify(page));
  const found = new Map<WantedPage, Delivery[]>();
  for (const group of samePages.values()) {
    const ids = [...new Set(group.map(({ webhookId }) => webhookId))];
    const { conditions, bounds } = group[0]!.page;
    const rows = await pageDeliveriesByWebhook(context, tenantId, ids, conditions, bounds);
    const byWebhook = Map.groupBy(rows, ({ webhookId }) => webhookId);
    for (const one of group) {
      const own = byWebhook.get(one.webhookId) ?? [];
      found.set(
        one,
        own.map((row) => Object.assign(new Delivery(), row)),
      );
    }
  }
  return wanted.map((one) => found.get(one) ?? []);
}

interface WantedOfEvent {
  eventId: number;
  bounds: Bounds;
}

async function readPagesOfEvents(
  { db, tenantId }: LoaderContext,
  wanted: readonly WantedOfEvent[],
): Promise<Delivery[][]> {
  const found = new Map<WantedOfEvent, Delivery[]>();
  const samePages = Map.groupBy(wanted, ({ bounds }) => JSON.stringify(bounds));
  for (const group of tenantId === null ? [] : samePages.values()) {
    const ids = [...new Set(group.map(({ eventId }) => eventId))];
    const rows = await pageDeliveriesByEvent(db, tenantId!, ids, group[0]!.bounds);
    const byEvent = Map.groupBy(rows, ({ eventId }) => eventId);
    for (const one of group) {
      const own = byEvent.get(one.eventId) ?? [];
      found.set(
        one,
        own.map((row) => Object.assign(new Delivery(), row)),
      );
    }
  }
  return wanted.map((one) => found.get(one) ?? []);
}

async function readFanOuts(
  { db, tenantId, config, clock }: LoaderContext,
  questions: readonly FanOutQuestion[],
): Promise<FanOutItem[][]> {
  const found = new Map<FanOutQuestion, FanOutItem[]>();
  const samePart = Map.groupBy(questions, ({ bounds }) => JSON.stringify(bounds));
  for (const group of tenantId === null ? [] : samePart.values()) {
    const { retentionDays } = config;
    const items = await readFanOut(db, tenantId!, group, { retentionDays, now: clock() });
    for (const question of group) {
      found.set(question, items.get(question.event.id) ?? []);
    }
  }
  return questions.map((question) => found.get(question) ?? []);
}

function one<Node extends { id: number }>(
  read: (ids: number[]) => Promise<Node[]>,
): DataLoader<number, Node | null> {
  return new DataLoader(async (ids) => {
    const found = new Map((await read([...new Set(ids)])).map((node) => [node.id, node]));
    return ids.map((id) => found.get(id) ?? null);
  }, uncached);
}

function many<Node>(
  read: (ids: number[]) => Promise<Node[]>,
  parentOf: (node: Node) => number,
): DataLoader<number, Node[]> {
  return new DataLoader(async (ids) => {
    const found = Map.groupBy(await read([...new Set(ids)]), parentOf);
    return ids.map((id) => found.get(id) ?? []);
  }, uncached);
}
