import 'reflect-metadata';
import {
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
import { dateToId } from '../../../domain/ids/delivery-id.js';
import { Attempt } from '../../../entities/attempt.js';
import { Delivery, DeliveryStatus } from '../../../entities/delivery.js';
import { Event } from '../../../entities/event.js';
import { Webhook } from '../../../entities/webhook.js';
import { found } from '../../../errors.js';
import { cancelDelivery } from '../../../operations/deliveries/cancel-delivery.js';
import { redeliver } from '../../../operations/deliveries/redeliver.js';
import { pageDeliveries } from '../../../operations/explorer/page-deliveries.js';
import { FRESH } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { FilterArg, IdArg, InputArg } from '../fields/arguments.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection, type Slice } from '../fields/connection.js';
import { mayHold } from '../fields/costs.js';
import { idOf } from '../fields/ids.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { requireRange, type TimeRange } from '../fields/time-range.js';
import { ATTEMPTS_MAX, AttemptArgs, attemptsOn } from './attempt-page.js';
import { conditionsOf } from './delivery-conditions.js';
import { conditionsIn, DeliveryFilter, type WebhookDeliveryFilter } from './delivery-filter.js';

@InputType({ description: 'The delivery to send again.' })
class RedeliverInput {
  @Field(() => ID, { description: 'The id of the delivery, which must have succeeded, failed or been canceled.' })
  deliveryId!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether to send what the webhook makes of the event now, instead of what the delivery sent before.',
  })
  reshape!: boolean;
}

@ObjectType({ description: 'The delivery that is sent again.' })
class RedeliverPayload {
  @Field(() => Delivery, {
    description: 'The same delivery with the same id, now pending, or waiting at the end of its ordering key.',
  })
  delivery!: Delivery;
}

@InputType({ description: 'The delivery to cancel.' })
class CancelDeliveryInput {
  @Field(() => ID, { description: 'The id of the delivery, which must be pending, waiting or held.' })
  id!: string;
}

@ObjectType({ description: 'The canceled delivery.' })
class CancelDeliveryPayload {
  @Field(() => Delivery, {
    description:
      'The delivery after the change. A request in flight ends and is recorded; if it succeeds, the delivery has succeeded.',
  })
  delivery!: Delivery;
}

export const DeliveryConnection = connectionOf(Delivery, 'Delivery', 'deliveries');

@Resolver(() => Delivery)
export class DeliveryResolver {
  @Requires('deliveries:read')
  @Query(() => Delivery, { nullable: true, description: 'One delivery. Null with NOT_FOUND when it does not exist.' })
  delivery(
    @IdArg('The id, or the value of the header `X-Service-Delivery` (unless the service is set otherwise).') id: string,
    @Ctx() context: Context,
  ): Promise<Delivery> {
    return readDelivery(context, idOf('Delivery', id, ['id']));
  }

  @Requires('deliveries:read')
  @Query(() => DeliveryConnection, { nullable: true, description: "The tenant's deliveries, newest first." })
  async deliveries(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => DeliveryFilter) filter: DeliveryFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Delivery>> {
    const conditions = await conditionsOf(context, filter);
    return readConnection('deliveries', page, async (slice) => {
      if (conditions === null) {
        return [];
      }
      return pageDeliveries(context, tenantOf(context), conditions, boundsOf(slice, filter));
    });
  }

  @Requires('events:read')
  @NullableResolver(() => Event, 'The event. Null when it is no longer kept. Needs `events:read`.')
  event(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Event | null> {
    return context.loaders.eventById.load(delivery.eventId);
  }

  // testWebhook returns a delivery, so its scope is enough to see the webhook.
  @Requires('webhooks:read', 'webhooks:test')
  @FieldResolver(() => Webhook, { nullable: true, description: 'The webhook. Null when it was deleted.' })
  webhook(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Webhook | null> {
    return context.loaders.webhookById.load(delivery.webhookId);
  }

  @NullableResolver(
    () => Date,
    'When the next attempt is due. At an endpoint that fails or asked for a pause, not before that is over. In the past while the delivery waits to be sent. Null when no attempt is scheduled.',
  )
  async nextAttemptAt(@Root() delivery: Delivery, @Ctx() context: Context): Promise<Date | null> {
    if (delivery.status !== DeliveryStatus.PENDING) {
      return null;
    }
    const webhook = await context.loaders.webhookById.load(delivery.webhookId);
    const times = [delivery.dueAt, webhook?.closedUntil, webhook?.nextProbeAt];
    return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)));
  }

  @NullableResolver(
    () => Delivery,
    'The delivery for which this one waits: the first open one of its ordering key. Null unless the state is WAITING.',
  )
  async waitsFor(@Root() { id, status }: Delivery, @Ctx() { loaders }: Context): Promise<Delivery | null> {
    const headId = status === DeliveryStatus.WAITING ? await loaders.headByDelivery.load(id) : null;
    return headId === null || headId === id ? null : await loaders.deliveryById.load(headId);
  }

  @NullableResolver(
    () => Date,
    'Until when the delivery waits for its ordering key to be quiet. A later event of the key may take its place until then. Null when it does not wait for that.',
  )
  settlesUntil(
    @Root() { status, attemptCount, settlingSince, dueAt }: Delivery,
    @Ctx() { clock }: Context,
  ): Date | null {
    const settles = status === DeliveryStatus.PENDING && attemptCount === 0 && settlingSince !== null;
    return settles && dueAt > clock() ? dueAt : null;
  }

  @NullableResolver(
    () => Delivery,
    'The delivery that took the place of this one, which may have been superseded too. Null unless the reason is SUPERSEDED, and when it is no longer kept.',
  )
  supersededBy(@Root() { supersededBy }: Delivery, @Ctx() { loaders }: Context): Promise<Delivery | null> | null {
    return supersededBy === null ? null : loaders.deliveryById.load(supersededBy);
  }

  @mayHold(ATTEMPTS_MAX)
  @FieldResolver(() => [Attempt], {
    description: `The attempts so far, oldest first. Without arguments the latest ${ATTEMPTS_MAX} at most.`,
  })
  attempts(
    @Root() { id, attemptCount }: Delivery,
    @Args(() => AttemptArgs) page: AttemptArgs,
    @Ctx() context: Context,
  ): Promise<Attempt[]> {
    return context.loaders.attemptsByDelivery.load({ deliveryId: id, ...attemptsOn(page, attemptCount) });
  }

  @Requires('deliveries:resend')
  @Mutation(() => RedeliverPayload, {
    description: 'Sends a finished delivery again, with the same id and all retries, while its event is kept.',
  })
  async redeliver(
    @InputArg(() => RedeliverInput) { deliveryId, reshape }: RedeliverInput,
    @Ctx() context: Context,
  ): Promise<RedeliverPayload> {
    const id = idOf('Delivery', deliveryId, ['input', 'deliveryId']);
    await redeliver(context.db, tenantOf(context), id, actorOf(context), { reshape });
    return { delivery: await readDelivery(context, id) };
  }

  @Requires('deliveries:resend')
  @Mutation(() => CancelDeliveryPayload, { description: 'Cancels a delivery that is pending, waiting or held.' })
  async cancelDelivery(
    @InputArg(() => CancelDeliveryInput) input: CancelDeliveryInput,
    @Ctx() context: Context,
  ): Promise<CancelDeliveryPayload> {
    const id = idOf('Delivery', input.id, ['input', 'id']);
    await cancelDelivery(context.db, tenantOf(context), id, actorOf(context));
    return { delivery: await readDelivery(context, id) };
  }
}

/** A delivery as it is now. @throws ApiError not_found */
export async function readDelivery(context: Context, id: number): Promise<Delivery> {
  return found(await context.em.findOne(Delivery, { id }, FRESH), 'delivery', id);
}

/**
 * A page of a webhook's deliveries.
 *
 * @throws ApiError invalid_input, search_timed_out
 */
export async function readDeliveries(
  context: Context,
  page: ConnectionArgs,
  filter: WebhookDeliveryFilter | null,
  webhookId: number,
): Promise<Connection<Delivery>> {
  const conditions = { ...conditionsIn(filter), eventType: await knownTypeIn(context, filter?.eventType) };
  return readConnection('deliveries', page, (slice) => {
    return context.loaders.deliveriesByWebhook.load({ webhookId, conditions, bounds: boundsOf(slice, filter) });
  });
}

/**
 * The bounds of a page within the time range of a filter. Ids are ordered by time.
 *
 * @throws ApiError invalid_input for a range that ends before it begins
 */
export function boundsOf({ above, below, order, limit }: Slice, filter: TimeRange | null) {
  requireRange(filter);
  return {
    above: Math.max(above ?? 0, filter?.since ? dateToId(filter.since) - 1 : 0),
    below: Math.min(below ?? Number.MAX_SAFE_INTEGER, filter?.until ? dateToId(filter.until) : Number.MAX_SAFE_INTEGER),
    order,
    limit,
  };
}
