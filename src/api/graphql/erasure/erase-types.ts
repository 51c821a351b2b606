import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DRY_RUN_MINUTES, ERASED_AT_ONCE_MAX } from '../../../domain/events/erasing.js';
import { BulkOperation } from '../../../entities/bulk-operation.js';
import { Event } from '../../../entities/event.js';
import { FieldConditionInput } from '../../../entities/event-filter.js';
import { Nullable } from '../../../entities/nullable.js';
import { ScheduledEvent } from '../../../entities/scheduled-event.js';
import { TimeRange } from '../fields/time-range.js';

const reason =
  'Why, for the audit log: 1 to 500 characters. It stays there, so it should not name the person whom it is about.';

@InputType({ description: 'The event to erase.' })
export class EraseEventInput {
  @Field(() => ID, { description: 'The id of an event, or of a scheduled one. A number alone is that of an event.' })
  id!: string;

  @Field(() => String, { description: reason })
  reason!: string;
}

@ObjectType({ description: 'The erased event: one of both.' })
export class EraseEventPayload {
  @Nullable(() => Event, 'The event, without its payload.')
  event!: Event | null;

  @Nullable(
    () => ScheduledEvent,
    'The scheduled event, without its payload. An event that it has become is erased too.',
  )
  scheduledEvent!: ScheduledEvent | null;
}

@InputType({
  description:
    'Conditions for events, at least one. All of them must be met. Times are those at which events were accepted, or scheduled.',
})
export class EraseEventsFilter extends TimeRange {
  @Nullable(() => [String], 'Only events of these types, 1 to 100; default: all.')
  eventTypes?: string[] | null;

  @Nullable(
    () => FieldConditionInput,
    'Only events whose payload meets this condition, such as all of one customer. A payload that Postgres cannot read as jsonb, for an escaped NUL, does not meet it.',
  )
  field?: FieldConditionInput | null;
}

@InputType({ description: 'The events to erase: first with `dryRun`, then with the number that it gave.' })
export class EraseEventsInput {
  @Field(() => EraseEventsFilter, { description: 'Conditions for the events.' })
  filter!: EraseEventsFilter;

  @Field(() => Boolean, { nullable: true, defaultValue: false, description: 'Only count, and erase nothing.' })
  dryRun?: boolean | null;

  @Nullable(
    () => Int,
    `The \`total\` that a dry run of this filter with this key gave in the last ${DRY_RUN_MINUTES} minutes. It is used up: what it has counted is erased, and no event that came later. Required without \`dryRun\`.`,
  )
  confirm?: number | null;

  @Nullable(() => String, `${reason} Required without \`dryRun\`.`)
  reason?: string | null;
}

@ObjectType({ description: 'The started erasure, or the result of a dry run.' })
export class EraseEventsPayload {
  @Field(() => Int, { description: 'Number of events, and of scheduled events that are not emitted.' })
  total!: number;

  @Field(() => Boolean, {
    description:
      'True when there may be more: counting stops after a million rows, but the operation works through all of them.',
  })
  totalCapped!: boolean;

  @Nullable(
    () => BulkOperation,
    `The started operation. Null after a dry run. With more than ${ERASED_AT_ONCE_MAX} events it begins in ten minutes (\`beginsAt\`), and can be canceled until then.`,
  )
  bulkOperation!: BulkOperation | null;
}
