import 'reflect-metadata';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import type { Context } from '../context.js';
import type { FanOutVerdict } from '../domain/fan-out.js';
import { Delivery } from '../entities/delivery.js';
import { Event } from '../entities/event.js';
import { Webhook } from '../entities/webhook.js';
import { type InputIssue, invalidInput } from '../errors.js';
import { decodeCursor, encodeCursor } from './connection.js';
import { Requires } from './requires.js';

const ENTRIES_MAX = 1000;

const reasons: Record<FanOutVerdict, string> = {
  CREATED_LATER: 'The webhook was made after the event came.',
  NOT_SUBSCRIBED: "The webhook was not subscribed to the event's type when the event came.",
  INACTIVE: 'The webhook had been inactive for longer than deliveries are held when the event came.',
  FOR_ANOTHER_WEBHOOK: 'The event was meant for one webhook alone, as tests are.',
  NO_LONGER_KEPT: 'The event is older than deliveries are kept; there may have been one.',
  UNKNOWN: 'What is known of the webhook does not tell; it may have been changed in the same moment.',
};
const FanOutReason = Object.fromEntries(Object.keys(reasons).map((name) => [name, name]));
registerEnumType(FanOutReason, {
  name: 'FanOutReason',
  description:
    'Why an event has no delivery to a webhook: told from what the webhook is and, where it was changed since, from what the audit log says it was.',
  valuesConfig: Object.fromEntries(
    Object.entries(reasons).map(([name, description]) => [name, { description }]),
  ),
});

@ObjectType({ description: 'What became of an event at one webhook.' })
class FanOutEntry {
  constructor(
    readonly webhookId: number,
    readonly deliveryId: number | null,
    reason: FanOutVerdict | null,
  ) {
    this.reason = reason;
    this.cursor = encodeCursor(webhookId);
  }

  @Field(() => String, { description: 'For `after`; its content has no meaning of its own.' })
  cursor: string;

  @Field(() => FanOutReason, {
    nullable: true,
    description: 'Why there is no delivery; null where there is one.',
  })
  reason: FanOutVerdict | null;

  @Requires('webhooks:read')
  @Field(() => Webhook, { nullable: true, description: 'The webhook; null once it is deleted.' })
  webhook(@Ctx() context: Context): Promise<Webhook | null> {
    return context.loaders.webhookById.load(this.webhookId);
  }

  @Field(() => Delivery, {
    nullable: true,
    description: 'The delivery, of several the latest; null where none was made.',
  })
  async delivery(@Ctx() context: Context): Promise<Delivery | null> {
    return this.deliveryId === null ? null : context.loaders.deliveryById.load(this.deliveryId);
  }
}

@Resolver(() => Event)
export class FanOutResolver {
  @Requires('deliveries:read')
  @FieldResolver(() => [FanOutEntry], {
    description:
      'What became of it at each webhook of the tenant, in the order of their ids: its delivery, or why there is none. Webhooks that were deleted stand here if they got it.',
  })
  async fanOut(
    @Root() event: Event,
    @Arg('first', () => Int, { defaultValue: 100, description: `How many: 1 to ${ENTRIES_MAX}.` })
    first: number,
    @Arg('after', () => String, { nullable: true, description: 'Only what comes after this cursor.' })
    after: string | null,
    @Ctx() context: Context,
  ): Promise<FanOutEntry[]> {
    const cursor = decodeCursor(after);
    const issues: InputIssue[] = [];
    if (first < 1 || first > ENTRIES_MAX) {
      issues.push({ path: ['first'], code: 'out_of_range', detail: `must be 1 to ${ENTRIES_MAX}` });
    }
    if (cursor === undefined) {
      issues.push({ path: ['after'], code: 'invalid_cursor', detail: 'is not a cursor of this list' });
    }
    if (issues.length > 0) {
      throw invalidInput(issues);
    }
    const question = { event, after: cursor ?? 0, limit: first };
    const items = await context.loaders.fanOutOfEvent.load(question);
    return items.map(({ webhookId, deliveryId, reason }) => new FanOutEntry(webhookId, deliveryId, reason));
  }
}
