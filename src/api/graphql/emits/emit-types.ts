import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Event } from '../../../entities/event.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { EVENTS_PER_REQUEST_MOST } from '../../../platform/settings/limit-settings.js';
import { mayHold } from '../fields/costs.js';
import { TENANT_NAMED } from '../fields/tenant-in.js';

@InputType({ description: 'A webhook that an event is for: `webhookId` or `externalId`.' })
export class EmitTargetInput {
  @Nullable(() => ID, 'The id of the webhook.')
  webhookId?: string | null;

  @Nullable(() => String, 'The external id of the webhook.')
  externalId?: string | null;

  @Nullable(
    () => String,
    'The rest of the address, which is joined behind the path of the webhook, such as `/actions/7f3?x=1`. For a webhook with `delivery.callback`, which needs it, and for no other. At most 1024 characters, beginning with `/`.',
  )
  path?: string | null;
}

@InputType({ description: 'The event to emit.' })
export class EmitEventInput {
  @Nullable(() => String, 'The name of its event type, such as `booking.created`. Required.')
  eventType?: string | null;

  @Nullable(() => String, 'The name of its event type.', { deprecationReason: 'Use `eventType`.' })
  event?: string | null;

  @Nullable(
    () => JSONObject,
    'The payload, which must match the schema of the event type. At most 256 KiB and 64 levels, unless the service is set otherwise. Each event has either `payload` or `body`.',
  )
  payload?: Record<string, unknown> | null;

  @Nullable(
    () => String,
    'The payload as the text of a JSON object, in place of `payload`. It is stored, signed and sent as it is, spaces included, but without the escapes that JSON does not need. So integers above 2^53 arrive exactly.',
  )
  body?: string | null;

  @Nullable(
    () => String,
    '1 to 255 printable ASCII characters. The same key within 7 days returns the same event; with another type, payload, ordering key, former state or `to` it is a CONFLICT. A repetition is checked like any other emit.',
  )
  idempotencyKey?: string | null;

  @Nullable(
    () => String,
    '1 to 255 printable ASCII characters, such as the id of an order. A webhook whose `ordering` is by KEY gets events with the same key one after the other, in the order in which they were accepted.',
  )
  orderingKey?: string | null;

  @Nullable(
    () => Int,
    'For how many hours the payload is kept, from 1 on, and less than the retention time of the installation. It is erased then (`Event.erasedAt`), and a delivery that is open is canceled. A repetition with another number changes nothing.',
  )
  keepHours?: number | null;

  @Nullable(
    () => JSONObject,
    'The state before the change that the event reports, whole, as `payload` has it afterwards. It is not checked by the schema, and is as long as a payload may be. Filters ask it by `CHANGED`, shapes and templates for it; nobody else gets it.',
  )
  previous?: Record<string, unknown> | null;

  @Nullable(() => String, 'The same as the text of a JSON object, in place of `previous`.')
  previousBody?: string | null;

  @Nullable(
    () => [EmitTargetInput],
    'The only webhooks that the event is for, 1 to 100, each once: active or holding deliveries, and subscribed to the type. Filters count. Left out: every webhook that matches, but for those with `delivery.callback`.',
  )
  to?: EmitTargetInput[] | null;

  @Nullable(
    () => ID,
    `The id of the tenant${TENANT_NAMED}, for a platform key that does not send the header \`Hookwright-Tenant\`. Otherwise the same tenant or nothing.`,
  )
  tenantId?: string | null;
}

@ObjectType({ description: 'The stored event.' })
export class EmitEventPayload {
  @Field(() => Event, { description: 'The event. For a repeated idempotency key, the earlier event.' })
  event!: Event;

  @Field(() => Int, { description: 'Number of deliveries of the event, including held ones.' })
  deliveryCount!: number;

  @Field(() => Boolean, { description: 'True when the event already existed for this idempotency key.' })
  duplicate!: boolean;
}

@InputType({ description: 'The events to emit.' })
export class EmitEventsInput {
  @Field(() => [EmitEventInput], { description: 'At most 100, unless the service is set to less.' })
  events!: EmitEventInput[];

  @Nullable(() => Boolean, 'True to refuse all events when one of them is refused.', { defaultValue: false })
  allOrNothing?: boolean | null;
}

@ObjectType({ description: 'A rule that an event breaks.' })
class EmitEventIssue {
  @Field(() => [String], {
    description: 'The path in the arguments, such as `["input", "events", "0", "payload", "code"]`.',
  })
  path!: string[];

  @Field(() => String, { description: 'The broken rule, such as `schema_required`.' })
  code!: string;

  @Field(() => String, { description: 'A sentence about it, such as `must NOT have more than 20 characters`.' })
  detail!: string;
}

@ObjectType({ description: 'Why an event was refused.' })
class EmitEventError {
  @Field(() => String, {
    description: 'The code, like `extensions.code` of an error, such as `BAD_USER_INPUT` or `CONFLICT`.',
  })
  code!: string;

  @Field(() => String, { description: 'A sentence about it, like the `message` of an error.' })
  detail!: string;

  @Field(() => [String], {
    description: 'The path in the arguments, such as `["input", "events", "0", "payload"]`.',
  })
  path!: string[];

  @Field(() => [EmitEventIssue], {
    description: 'All rules that the event breaks, at most 100. `detail` and `path` describe the first.',
  })
  issues!: EmitEventIssue[];
}

@ObjectType({ description: 'The outcome of one event: either an event or an error.' })
export class EmitEventResult {
  @Nullable(() => Event, 'The stored event. Null when it was refused.')
  event!: Event | null;

  @Field(() => Int, { description: 'Number of deliveries of the event, including held ones. 0 when it was refused.' })
  deliveryCount!: number;

  @Field(() => Boolean, { description: 'True when the event already existed for this idempotency key.' })
  duplicate!: boolean;

  @Nullable(() => EmitEventError, 'Why the event was refused. Null when it was accepted.')
  error!: EmitEventError | null;
}

@ObjectType({ description: 'The outcomes of the events.' })
export class EmitEventsPayload {
  @mayHold(EVENTS_PER_REQUEST_MOST)
  @Field(() => [EmitEventResult], { description: 'One outcome for each event, in the same order.' })
  results!: EmitEventResult[];
}
