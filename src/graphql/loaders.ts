import DataLoader from 'dataloader';
import type { Context } from '../context.js';
import { Attempt } from '../entities/attempt.js';
import { Delivery } from '../entities/delivery.js';
import { Event } from '../entities/event.js';
import { Webhook } from '../entities/webhook.js';
import { countHeld } from '../operations/count-held.js';

/** Nested fields of one request, each read by one query however many parents there are. */
export type Loaders = ReturnType<typeof createLoaders>;

/** Rows are read afresh, past the identity map: a mutation may have changed them by SQL just before. */
const fresh = { disableIdentityMap: true } as const;

export function createLoaders(context: Pick<Context, 'em' | 'db' | 'tenantId'>) {
  return {
    eventById: one((ids) => context.em.find(Event, { id: { $in: ids } }, fresh)),
    /** Null once it is deleted. */
    webhookById: one((ids) => context.em.find(Webhook, { id: { $in: ids } }, fresh)),
    deliveriesByEvent: many(
      (ids) => context.em.find(Delivery, { eventId: { $in: ids } }, { ...fresh, orderBy: { id: 'asc' } }),
      ({ eventId }) => eventId,
    ),
    attemptsByDelivery: many(
      (ids) =>
        context.em.find(Attempt, { deliveryId: { $in: ids } }, { ...fresh, orderBy: { number: 'asc' } }),
      ({ deliveryId }) => deliveryId,
    ),
    heldCountByWebhook: new DataLoader(async (ids: readonly number[]) => {
      const held = context.tenantId === null ? new Map() : await countHeld(context.db, context.tenantId, ids);
      return ids.map((id) => held.get(id) ?? 0);
    }, uncached<number>()),
  };
}

/** Batches, but does not remember: a request with several mutations must see each one's effect. */
const uncached = <Value>(): DataLoader.Options<number, Value> => ({ cache: false });

function one<Node extends { id: number }>(
  read: (ids: number[]) => Promise<Node[]>,
): DataLoader<number, Node | null> {
  return new DataLoader(async (ids) => {
    const found = new Map((await read([...new Set(ids)])).map((node) => [node.id, node]));
    return ids.map((id) => found.get(id) ?? null);
  }, uncached());
}

function many<Node>(
  read: (ids: number[]) => Promise<Node[]>,
  parentOf: (node: Node) => number,
): DataLoader<number, Node[]> {
  return new DataLoader(async (ids) => {
    const found = Map.groupBy(await read([...new Set(ids)]), parentOf);
    return ids.map((id) => found.get(id) ?? []);
  }, uncached());
}
