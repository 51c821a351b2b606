import 'reflect-metadata';
import { Args, Ctx, Field, FieldResolver, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import type { Context } from '../../context/context.js';
import type { FanOutVerdict } from '../../domain/events/fan-out.js';
import { Delivery } from '../../entities/delivery.js';
import { Event } from '../../entities/event.js';
import { ShowsIdOf } from '../../entities/node.js';
import { Webhook } from '../../entities/webhook.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection } from '../fields/connection.js';
import { Requires } from '../fields/requires.js';
import { boundsOf } from './delivery.js';

const reasons: Record<FanOutVerdict, string> = {
  CREATED_LATER: 'The webhook was made after the event came.',
  NOT_SUBSCRIBED: "The webhook was not subscribed to the event's type when the event came.",
  INACTIVE: 'The webhook had been inactive for longer than deliveries are held when the event came.',
  FOR_ANOTHER_WEBHOOK: 'The event was meant for one webhook alone, as tests are.',
  ABOUT_THIS_WEBHOOK: "The event tells of this webhook itself, and is for the tenant's others.",
  NO_LONGER_KEPT: 'The event is older than deliveries are kept; there may have been one.',
  UNKNOWN: 'What is known of the webhook does not tell; it may have been changed in the same moment.',
};
const FanOutReason = Object.fromEntries(Object.keys(reasons).map((name) => [name, name]));
registerEnumType(FanOutReason, {
  name: 'FanOutReason',
  description:
    'Why an event has no delivery to a webhook: told from what the webhook is and, where it was changed since, from what the audit log says it was.',
  valuesConfig: Object.fromEntries(Object.entries(reasons).map(([name, description]) => [name, { description }])),
});

@ObjectType({ description: 'What became of an event at one webhook.' })
class FanOutEntry {
  constructor(
    id: number,
    readonly deliveryId: number | null,
    reason: FanOutVerdict | null,
  ) {
    this.id = id;
    this.reason = reason;
  }

  /** Of the webhook: a cursor is made of it. */
  @ShowsIdOf('Webhook', { name: 'webhookId', description: 'The id of the webhook, also of a deleted one.' })
  id: number;

  @Field(() => FanOutReason, { nullable: true, description: 'Why there is no delivery; null where there is one.' })
  reason: FanOutVerdict | null;

  @Requires('webhooks:read')
  @Field(() => Webhook, { nullable: true, description: 'The webhook; null once it is deleted.' })
  webhook(@Ctx() context: Context): Promise<Webhook | null> {
    return context.loaders.webhookById.load(this.id);
  }

  @Field(() => Delivery, {
    nullable: true,
    description: 'The delivery, of several the latest; null where none was made.',
  })
  async delivery(@Ctx() context: Context): Promise<Delivery | null> {
    return this.deliveryId === null ? null : context.loaders.deliveryById.load(this.deliveryId);
  }
}

const FanOutEntryConnection = connectionOf(FanOutEntry, 'FanOutEntry', 'webhooks, with what became of an event');

@Resolver(() => Event)
export class FanOutResolver {
  @Requires('deliveries:read')
  @FieldResolver(() => FanOutEntryConnection, {
    nullable: true,
    description:
      'What became of it at each webhook of the tenant, the newest webhook first: its delivery, or why there is none. Webhooks that were deleted stand here if they got it.',
  })
  fanOut(
    @Root() event: Event,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<FanOutEntry>> {
    return readConnection('fanOut', page, async (slice) => {
      const items = await context.loaders.fanOutOfEvent.load({ event, bounds: boundsOf(slice, null) });
      return items.map(({ webhookId, deliveryId, reason }) => new FanOutEntry(webhookId, deliveryId, reason));
    });
  }
}
