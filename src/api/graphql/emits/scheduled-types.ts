import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Nullable } from '../../../entities/nullable.js';
import { ScheduledEvent, ScheduledEventStatus } from '../../../entities/scheduled-event.js';
import { connectionOf } from '../fields/connection.js';
import { EmitEventInput } from './emit-types.js';

export const ScheduledEventConnection = connectionOf(ScheduledEvent, 'ScheduledEvent', 'scheduled events');

@InputType({ description: 'The event to emit, and when. It has either `deliverAt` or `delaySeconds`.' })
export class ScheduleEventInput extends EmitEventInput {
  @Nullable(() => Date, 'When the event is emitted: at most 90 days ahead. A time in the past is now.')
  deliverAt?: Date | null;

  @Nullable(() => Int, 'In how many seconds the event is emitted: at most 7,776,000 (90 days). A delay below 0 is 0.')
  delaySeconds?: number | null;
}

@ObjectType({ description: 'The scheduled event.' })
export class ScheduleEventPayload {
  @Field(() => ScheduledEvent, { description: 'The event. For a repeated idempotency key, the earlier one.' })
  scheduledEvent!: ScheduledEvent;

  @Field(() => Boolean, {
    description: 'True when an event was scheduled with this idempotency key before. Its time stays the same.',
  })
  duplicate!: boolean;
}

@InputType({ description: 'The scheduled event to cancel.' })
export class CancelScheduledEventInput {
  @Field(() => ID, { description: 'The id of the scheduled event.' })
  id!: string;
}

@ObjectType({ description: 'The canceled event.' })
export class CancelScheduledEventPayload {
  @Field(() => ScheduledEvent, { description: 'The event, which will not be emitted.' })
  scheduledEvent!: ScheduledEvent;
}

@InputType({ description: 'Conditions for scheduled events. All of them must be met.' })
export class ScheduledEventFilter {
  @Nullable(() => ScheduledEventStatus, 'Only events in this state.')
  status?: ScheduledEventStatus | null;

  @Nullable(() => String, 'Only events of this type.')
  eventType?: string | null;
}
