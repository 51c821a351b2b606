import 'reflect-metadata';
import { Args, Ctx, ObjectType, Resolver, Root } from 'type-graphql';
import type { FanOutVerdict } from '../../../domain/events/fan-out.js';
import { Delivery } from '../../../entities/delivery.js';
import { Event } from '../../../entities/event.js';
import { FailedCondition } from '../../../entities/event-filter.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import { Webhook } from '../../../entities/webhook.js';
import type { Context } from '../../context/context.js';
import { type Connection, ConnectionArgs, connectionOf, readConnection } from '../fields/connection.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { boundsOf } from './delivery.js';

const reasons: Record<FanOutVerdict, string> = {
  CREATED_LATER: 'The webhook was created after the event.',
  NOT_SUBSCRIBED: 'The webhook was not subscribed to the event type at that time.',
  FILTERED: 'The event did not meet the filter that the webhook had at that time: see `failedCondition`.',
  INACTIVE: 'The webhook had been inactive for longer than deliveries are held.',
  FOR_ANOTHER_WEBHOOK: 'The event was for other webhooks alone, as with tests and with `to`.',
  NEEDS_A_PATH: 'The webhook has the option `callback`, and the event names no path for it.',
  ABOUT_THIS_WEBHOOK: 'The event is about this webhook, and is sent only to other webhooks.',
  NO_LONGER_KEPT: 'The event is older than deliveries are kept. There may have been one.',
  UNKNOWN: 'Unknown. The webhook may have been changed at the same moment.',
};
const FanOutReason = graphqlEnum(
  'FanOutReason',
  'Why an event has no delivery to a webhook, found from the webhook and its changes in the audit log.',
  reasons,
);

@ObjectType({ description: 'The outcome of an event at one webhook.' })
class FanOutEntry {
  constructor(
    id: number,
    readonly deliveryId: number | null,
    reason: FanOutVerdict | null,
    failedCondition: FailedCondition | null,
  ) {
    this.id = id;
    this.reason = reason;
    this.failedCondition = failedCondition;
  }

  /** The id of the webhook, from which cursors are made. */
  @ShowsIdOf('Webhook', { name: 'webhookId', description: 'The id of the webhook, even if it was deleted.' })
  id: number;

  @Nullable(() => FanOutReason, 'Why there is no delivery. Null when there is one.')
  reason: FanOutVerdict | null;

  @Nullable(() => FailedCondition, 'The condition that the event did not meet. Null unless `reason` is `FILTERED`.')
  failedCondition: FailedCondition | null;

  @Requires('webhooks:read')
  @Nullable(() => Webhook, 'The webhook. Null when it was deleted.')
  webhook(@Ctx() context: Context): Promise<Webhook | null> {
    return context.loaders.webhookById.load(this.id);
  }

  @Nullable(() => Delivery, 'The latest delivery. Null when there is none.')
  async delivery(@Ctx() context: Context): Promise<Delivery | null> {
    return this.deliveryId === null ? null : context.loaders.deliveryById.load(this.deliveryId);
  }
}

const FanOutEntryConnection = connectionOf(FanOutEntry, 'FanOutEntry', 'webhooks and the outcomes of an event');

@Resolver(() => Event)
export class FanOutResolver {
  @Requires('deliveries:read')
  @NullableResolver(
    () => FanOutEntryConnection,
    'The outcome at each webhook of the tenant, newest webhook first: the delivery, or the reason why there is none. Deleted webhooks are included if they have a delivery.',
  )
  fanOut(
    @Root() event: Event,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: Context,
  ): Promise<Connection<FanOutEntry>> {
    return readConnection('fanOut', page, async (slice) => {
      const items = await context.loaders.fanOutOfEvent.load({ event, bounds: boundsOf(slice, null) });
      return items.map(
        ({ webhookId, deliveryId, reason, failedCondition }) =>
          new FanOutEntry(webhookId, deliveryId, reason, failedCondition),
      );
    });
  }
}
