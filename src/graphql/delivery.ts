import 'reflect-metadata';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { actorOf, type Context, parseId, tenantOf } from '../context.js';
import { dateToId } from '../domain/delivery-id.js';
import { Attempt } from '../entities/attempt.js';
import { Delivery, DeliveryStatus } from '../entities/delivery.js';
import { Event } from '../entities/event.js';
import { Webhook } from '../entities/webhook.js';
import { invalidInput, notFound } from '../errors.js';
import { cancelDelivery } from '../operations/cancel-delivery.js';
import { pageTenantDeliveries } from '../operations/page-deliveries.js';
import { redeliver } from '../operations/redeliver.js';
import { type Connection, ConnectionArgs, connect, connectionOf } from './connection.js';
import { knownEventType, parseInput } from './input.js';
import { Requires } from './requires.js';

@InputType({ description: 'Which deliveries of a webhook; all conditions together.' })
export class WebhookDeliveryFilter {
  @Field(() => DeliveryStatus, { nullable: true, description: 'Only those in this state.' })
  status?: DeliveryStatus | null;

  @Field(() => String, { nullable: true, description: 'Only those of events of this type.' })
  eventType?: string | null;

  @Field(() => Date, { nullable: true, description: 'Only those made at this moment or later.' })
  since?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only those made before this moment.' })
  until?: Date | null;
}

@InputType({ description: 'Which deliveries; all conditions together.' })
export class DeliveryFilter extends WebhookDeliveryFilter {
  @Field(() => ID, {
    nullable: true,
    description: 'Only those to this webhook, which may have been deleted since.',
  })
  webhookId?: string | null;
}

@InputType({ description: 'A delivery to send again.' })
class RedeliverInput {
  @Field(() => ID, { description: 'The delivery: one that succeeded, failed or was canceled.' })
  deliveryId!: string;
}

@ObjectType({ description: 'The delivery on its way again.' })
class RedeliverPayload {
  @Field(() => Delivery, { description: 'The same delivery with the same id, pending again.' })
  delivery!: Delivery;
}

@InputType({ description: 'A delivery to cancel.' })
class CancelDeliveryInput {
  @Field(() => ID, { description: 'The delivery: one that is pending or held.' })
  deliveryId!: string;
}

@ObjectType({ description: 'The canceled delivery.' })
class CancelDeliveryPayload {
  @Field(() => Delivery, {
    description:
      'As it is now. A request in flight ends and is recorded; should it succeed, the delivery has succeeded.',
  })
  delivery!: Delivery;
}

export const DeliveryConnection = connectionOf(Delivery, 'Delivery', 'deliveries');

@Resolver(() => Delivery)
export class DeliveryResolver {
  @Requires('deliveries:read')
  @Query(() => Delivery, {
    nullable: true,
    description: 'One delivery; null with NOT_FOUND when there is none.',
  })
  delivery(
    @Arg('id', () => ID, { description: 'Its id: the value of the header X-Service-Delivery.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Delivery> {
    return readDelivery(context, id);
  }

  @Requires('deliveries:read')
  @Query(() => DeliveryConnection, { description: "The tenant's deliveries, newest first." })
  async deliveries(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('filter', () => DeliveryFilter, { nullable: true, description: 'Which ones; without it all.' })
    filter: DeliveryFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Delivery>> {
    const webhookId = typeof filter?.webhookId === 'string' ? parseId(filter.webhookId) : undefined;
    if (webhookId === null) {
      const detail = 'is not the id of a webhook';
      throw invalidInput([{ path: ['filter', 'webhookId'], code: 'invalid_id', detail }]);
    }
    return readDeliveries(context, page, filter, webhookId);
  }

  @Requires('events:read')
  @FieldResolver(() => Event, { nullable: true, description: 'What it delivers.' })
  event(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Event | null> {
    return context.loaders.eventById.load(delivery.eventId);
  }

  // Who may test a webhook gets a delivery in answer, and may see which webhook it goes to.
  @Requires('webhooks:read', 'webhooks:write')
  @FieldResolver(() => Webhook, {
    nullable: true,
    description: 'Where it goes; null once the webhook is deleted.',
  })
  webhook(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Webhook | null> {
    return context.loaders.webhookById.load(delivery.webhookId);
  }

  @FieldResolver(() => Date, {
    nullable: true,
    description:
      'When the next attempt is due; in the past while it waits for its turn at a busy endpoint; null when none is scheduled.',
  })
  async nextAttemptAt(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Date | null> {
    if (delivery.status !== DeliveryStatus.PENDING) {
      return null;
    }
    const closedUntil = (await context.loaders.webhookById.load(delivery.webhookId))?.closedUntil ?? null;
    return closedUntil !== null && closedUntil > delivery.dueAt ? closedUntil : delivery.dueAt;
  }

  @FieldResolver(() => [Attempt], { description: 'Every attempt so far, the first one first.' })
  attempts(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Attempt[]> {
    return context.loaders.attemptsByDelivery.load(delivery.id);
  }

  @Requires('deliveries:write')
  @Mutation(() => RedeliverPayload, {
    description: 'Sends a finished delivery again, with the same id and a fresh budget of retries.',
  })
  async redeliver(
    @Arg('input', () => RedeliverInput, { description: 'What to do.' }) { deliveryId }: RedeliverInput,
    @Ctx() context: Context,
  ): Promise<RedeliverPayload> {
    const id = parseId(deliveryId);
    if (id === null) {
      throw notFound('delivery', 'with such an id');
    }
    await redeliver(context.db, tenantOf(context), id, actorOf(context));
    return { delivery: await readDelivery(context, deliveryId) };
  }

  @Requires('deliveries:write')
  @Mutation(() => CancelDeliveryPayload, { description: 'Cancels a delivery that is pending or held.' })
  async cancelDelivery(
    @Arg('input', () => CancelDeliveryInput, { description: 'What to do.' })
    { deliveryId }: CancelDeliveryInput,
    @Ctx() context: Context,
  ): Promise<CancelDeliveryPayload> {
    const id = parseId(deliveryId);
    if (id === null) {
      throw notFound('delivery', 'with such an id');
    }
    await cancelDelivery(context.db, tenantOf(context), id, actorOf(context));
    return { delivery: await readDelivery(context, deliveryId) };
  }
}

async function readDelivery(context: Context, id: string): Promise<Delivery> {
  const number = parseId(id);
  const delivery =
    number === null ? null : await context.em.findOne(Delivery, { id: number }, { disableIdentityMap: true });
  if (delivery === null) {
    throw notFound('delivery', number ?? 'with such an id');
  }
  return delivery;
}

/**
 * A page of deliveries, of one webhook or of the whole tenant.
 *
 * @throws ApiError invalid_input
 */
export async function readDeliveries(
  context: Context,
  page: ConnectionArgs,
  filter: WebhookDeliveryFilter | null,
  webhookId: number | undefined,
): Promise<Connection<Delivery>> {
  const eventType = await knownTypeIn(context, filter);
  const { from, to } = idsBetween(filter);
  return connect(page, async ({ above, below, order, limit }) => {
    const wanted = {
      status: filter?.status ?? null,
      eventType: eventType ?? null,
      above: Math.max(above ?? 0, (from ?? 0) - 1),
      below: Math.min(below ?? Number.MAX_SAFE_INTEGER, to ?? Number.MAX_SAFE_INTEGER),
      order,
      limit,
    };
    if (webhookId !== undefined) {
      return context.loaders.deliveriesByWebhook.load({ webhookId, page: wanted });
    }
    const rows = await pageTenantDeliveries(context.db, tenantOf(context), wanted);
    return rows.map((row) => Object.assign(new Delivery(), row));
  });
}

/** Ids are ordered by time, so moments are bounds of ids, and no index over times is needed. */
export function idsBetween(filter: { since?: Date | null; until?: Date | null } | null) {
  return {
    from: filter?.since ? dateToId(filter.since) : undefined,
    to: filter?.until ? dateToId(filter.until) : undefined,
  };
}

export async function knownTypeIn(
  { eventTypes }: Context,
  filter: { eventType?: string | null } | null,
): Promise<string | undefined> {
  return typeof filter?.eventType === 'string'
    ? parseInput(knownEventType(await eventTypes.names()), filter.eventType, ['filter', 'eventType'])
    : undefined;
}
