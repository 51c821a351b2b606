import 'reflect-metadata';
import { Args, ArgsType, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { Delivery, DeliveryStatus } from '../../entities/delivery.js';
import { ShowsIdOf } from '../../entities/node.js';
import { Nullable } from '../../entities/nullable.js';
import { Webhook } from '../../entities/webhook.js';
import { FRESH } from '../../platform/database/tenant-database.js';
import { type Context, tenantOf } from '../context/context.js';
import { PendingChanges } from '../live/pending-changes.js';
import { knownTypeIn } from './fields/known-event-type.js';
import { knownWebhookIn } from './fields/known-webhook.js';
import { Requires } from './fields/requires.js';
import { type Update, UpdateStream } from './fields/update-stream.js';
import { readWebhook } from './webhooks/webhook.js';

@ObjectType()
abstract class ChangeUpdate {
  @Field(() => String, {
    description:
      'The position of this update in the stream. Pass it as `after` or in the header Last-Event-ID to a later subscription: it begins with the changes since then, or with `resync` after more than 5 minutes or 1,000 changes.',
  })
  cursor!: string;

  @Field(() => Boolean, {
    description:
      'True when changes before this update may have been missed: read your data again. A subscription without a cursor gets every change after the answer (200), so it does not begin with `resync`.',
  })
  resync!: boolean;
}

@ObjectType({ description: 'A delivery that was created or has changed, or a note that changes may have been missed.' })
class DeliveryUpdate extends ChangeUpdate {
  @Nullable(() => Delivery, 'The current delivery: several changes may come as one update. Null with `resync`.')
  delivery!: Delivery | null;
}

@ObjectType({
  description: 'A webhook that was created, changed or deleted, or a note that changes may have been missed.',
})
class WebhookUpdate extends ChangeUpdate {
  @ShowsIdOf('Webhook', { nullable: true, description: 'The id of the changed webhook. Null with `resync`.' })
  webhookId!: number | null;

  @Nullable(
    () => Webhook,
    'The current webhook: several changes may come as one update. Null with `resync`, and when the webhook was deleted.',
  )
  webhook!: Webhook | null;
}

@ArgsType()
class UpdateArgs {
  @Nullable(() => String, 'The cursor of the last update from an earlier stream. Omit to begin now.')
  after?: string | null;
}

@ArgsType()
class DeliveryUpdateArgs extends UpdateArgs {
  @Nullable(() => ID, 'Only deliveries to this webhook, which may have been deleted since.')
  webhookId?: string | null;

  @Nullable(() => String, 'Only deliveries of events of this type.')
  eventType?: string | null;

  @Nullable(() => DeliveryStatus, 'Only deliveries that are in this state after the change.')
  status?: DeliveryStatus | null;
}

@ArgsType()
class WebhookUpdateArgs extends UpdateArgs {
  @Nullable(() => ID, 'Only this webhook. Omit for all webhooks.')
  id?: string | null;
}

@Resolver()
export class LiveUpdateResolver {
  @Requires('deliveries:read')
  @Subscription(() => DeliveryUpdate, {
    description: 'Deliveries when they are created and change.',
    subscribe: ({ args, context }) => followDeliveries(context as Context, args as DeliveryUpdateArgs),
  })
  deliveryUpdated(
    @Root() { cursor, resync, node }: Update<Delivery>,
    @Args(() => DeliveryUpdateArgs) _which: DeliveryUpdateArgs,
  ): DeliveryUpdate {
    return { cursor, resync, delivery: node };
  }

  @Requires('webhooks:read')
  @Subscription(() => WebhookUpdate, {
    description: 'Webhooks when they are created, change, are disabled by failures, and are deleted.',
    subscribe: ({ args, context }) => followWebhooks(context as Context, args as WebhookUpdateArgs),
  })
  webhookUpdated(
    @Root() { cursor, resync, id, node }: Update<Webhook>,
    @Args(() => WebhookUpdateArgs) _which: WebhookUpdateArgs,
  ): WebhookUpdate {
    return { cursor, resync, webhookId: id, webhook: node };
  }
}

async function followDeliveries(
  context: Context,
  { webhookId, eventType, status, after }: DeliveryUpdateArgs,
): Promise<UpdateStream<Delivery>> {
  const webhook = await knownWebhookIn(context, webhookId);
  const type = await knownTypeIn(context, eventType, ['eventType']);
  const where = { ...(type === undefined ? {} : { eventType: type }), ...(status ? { status } : {}) };
  const pending = new PendingChanges(tenantOf(context), 'DELIVERY', webhook);
  return UpdateStream.open(context, pending, context.lastEventId ?? after ?? null, async (ids) => {
    const rows = await context.em.find(
      Delivery,
      { ...where, id: { $in: [...ids] } },
      { orderBy: { id: 'asc' }, ...FRESH },
    );
    return rows.map((node) => ({ id: node.id, node }));
  });
}

async function followWebhooks(context: Context, { id, after }: WebhookUpdateArgs): Promise<UpdateStream<Webhook>> {
  const webhook = typeof id === 'string' ? (await readWebhook(context, id, ['id'])).id : null;
  const pending = new PendingChanges(tenantOf(context), 'WEBHOOK', webhook);
  return UpdateStream.open(context, pending, context.lastEventId ?? after ?? null, async (ids) => {
    const rows = await context.em.find(Webhook, { id: { $in: [...ids] } }, FRESH);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((changed) => ({ id: changed, node: byId.get(changed) ?? null }));
  });
}
