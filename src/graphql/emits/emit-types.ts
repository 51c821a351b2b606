import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Event } from '../../entities/event.js';
import { EVENTS_PER_REQUEST_MOST } from '../../settings/limit-settings.js';
import { mayHold } from '../fields/costs.js';
import { JSONObject } from '../fields/scalars.js';

@InputType({ description: 'An event to emit.' })
export class EmitEventInput {
  @Field(() => String, { description: 'The name of its event type, such as `booking.created`.' })
  event!: string;

  @Field(() => JSONObject, {
    description:
      'What happened, as the schema of the event type has it. At most 256 KiB and 64 levels, unless the service is set otherwise.',
  })
  payload!: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description:
      '1 to 255 printable ASCII characters. The same key again, within 7 days, answers with the same event; with another type or payload it is a CONFLICT. A repetition is checked like any other emit.',
  })
  idempotencyKey?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The tenant, when a platform key emits without the header `Hookwright-Tenant`; else the same tenant or nothing.',
  })
  tenantId?: string | null;
}

@ObjectType({ description: 'What became of an emitted event, after its commit.' })
export class EmitEventPayload {
  @Field(() => Event, { description: 'The event; the earlier one for an idempotency key that was used before.' })
  event!: Event;

  @Field(() => Int, { description: 'How many deliveries it has, held ones included.' })
  deliveryCount!: number;

  @Field(() => Boolean, { description: 'True when the idempotency key had made this event before.' })
  duplicate!: boolean;
}

@InputType({ description: 'Events to emit.' })
export class EmitEventsInput {
  @Field(() => [EmitEventInput], { description: 'At most 100, unless the service is set to less.' })
  events!: EmitEventInput[];

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'True: when one event is refused, all are.',
  })
  allOrNothing?: boolean | null;
}

@ObjectType({ description: 'One rule that an event breaks.' })
class EmitEventIssue {
  @Field(() => [String], {
    description: 'Where in the arguments, such as `["input", "events", "0", "payload", "code"]`.',
  })
  path!: string[];

  @Field(() => String, { description: 'Which rule, such as `schema_required`.' })
  code!: string;

  @Field(() => String, { description: 'What is wrong there, such as `must NOT have more than 20 characters`.' })
  detail!: string;
}

@ObjectType({ description: 'Why one event of several was refused.' })
class EmitEventError {
  @Field(() => String, { description: 'As `extensions.code` of an error, such as `BAD_USER_INPUT` or `CONFLICT`.' })
  code!: string;

  @Field(() => String, { description: 'What is wrong, as the `message` of an error.' })
  detail!: string;

  @Field(() => [String], {
    description: 'Where in the arguments it is wrong, such as `["input", "events", "0", "payload"]`.',
  })
  path!: string[];

  @Field(() => [EmitEventIssue], {
    description: 'Every rule that it breaks, of which `detail` and `path` give the first; at most 100.',
  })
  issues!: EmitEventIssue[];
}

@ObjectType({ description: 'What became of one event of several: either an event or an error.' })
export class EmitEventResult {
  @Field(() => Event, { nullable: true, description: 'Null when it was refused.' })
  event!: Event | null;

  @Field(() => Int, { description: 'How many deliveries it has, held ones included; 0 when it was refused.' })
  deliveryCount!: number;

  @Field(() => Boolean, { description: 'True when the idempotency key had made this event before.' })
  duplicate!: boolean;

  @Field(() => EmitEventError, { nullable: true, description: 'Null when the event was accepted.' })
  error!: EmitEventError | null;
}

@ObjectType({ description: 'What became of the events.' })
export class EmitEventsPayload {
  @mayHold(EVENTS_PER_REQUEST_MOST)
  @Field(() => [EmitEventResult], { description: 'One for each event, in their order.' })
  results!: EmitEventResult[];
}
