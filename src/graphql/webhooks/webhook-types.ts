import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { URL_LENGTH_MAX } from '../../domain/addresses/target.js';
import { Delivery } from '../../entities/delivery.js';
import { ShowsIdOf } from '../../entities/node.js';
import { Webhook } from '../../entities/webhook.js';
import { EVENT_TYPES_MAX } from '../../operations/webhooks/webhook-settings.js';
import { OVERLAP_HOURS_DEFAULT } from '../fields/input.js';
import { Requires } from '../fields/requires.js';
import { JSONObject } from '../fields/scalars.js';

enum HeldAction {
  RELEASE = 'RELEASE',
  KEEP = 'KEEP',
  DISCARD = 'DISCARD',
}
registerEnumType(HeldAction, {
  name: 'HeldAction',
  description:
    'What becomes of held deliveries when their webhook is enabled. Those that a pause has not got round to holding count ' +
    'as held.',
  valuesConfig: {
    RELEASE: { description: 'They are sent at once, the oldest first; of a long backlog some may overtake others.' },
    KEEP: { description: 'They stay held until `releaseHeld`, so that a test can be sent first.' },
    DISCARD: { description: 'They are canceled.' },
  },
});

const urlDescription =
  `An absolute https url of at most ${URL_LENGTH_MAX} characters, without userinfo and fragment, on port 443, 80, or one from ` +
  '1024 on which no database or other internal service is usual. It is kept in its normal form: ' +
  '`https://example.com` becomes `https://example.com/`.';
const eventTypesDescription = `1 to ${EVENT_TYPES_MAX} different names of event types, or exactly \`["*"]\` for all, later ones included.`;

@InputType({ description: 'A webhook to make.' })
export class CreateWebhookInput {
  @Field(() => String, { description: urlDescription })
  url!: string;

  @Field(() => [String], { description: eventTypesDescription })
  eventTypes!: string[];
}

@ObjectType({ description: 'A new webhook and its secret.' })
export class CreateWebhookPayload {
  @Field(() => Webhook, { description: 'The new webhook.' })
  webhook!: Webhook;

  @Requires('webhooks:secrets')
  @Field(() => String, { description: 'The signing secret. It is never shown again.' })
  secret!: string;
}

@InputType({
  description: 'What to change in a webhook; what is not given stays. At least one of url, eventTypes, active.',
})
export class UpdateWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;

  @Field(() => String, { nullable: true, description: urlDescription })
  url?: string | null;

  @Field(() => [String], { nullable: true, description: eventTypesDescription })
  eventTypes?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True enables the webhook and sets its failures to 0; false pauses it, and events for it are held. The value that it has changes nothing.',
  })
  active?: boolean | null;

  @Field(() => HeldAction, {
    nullable: true,
    description:
      'Together with `active: true`: what becomes of its held deliveries; default `RELEASE`. A webhook that is active already goes on keeping what it keeps, unless this is given.',
  })
  held?: HeldAction | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Change the webhook only while its `version` is this one: otherwise `CONFLICT`, and nothing is done.',
  })
  ifVersion?: number | null;
}

@ObjectType({ description: 'The changed webhook.' })
export class UpdateWebhookPayload {
  @Field(() => Webhook, { description: 'As it is now.' })
  webhook!: Webhook;
}

@InputType({
  description: 'A webhook to delete. Its secret is erased, and its history stays until the retention ends.',
})
export class DeleteWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Delete the webhook only while its `version` is this one: otherwise `CONFLICT`, and nothing is done.',
  })
  ifVersion?: number | null;
}

@ObjectType({ description: 'What was deleted.' })
export class DeleteWebhookPayload {
  @ShowsIdOf('Webhook', { description: 'The id of the deleted webhook.' })
  deletedWebhookId!: number;
}

@InputType({ description: 'A webhook to get a new signing secret.' })
export class RotateWebhookSecretInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;

  @Field(() => Int, {
    nullable: true,
    defaultValue: OVERLAP_HOURS_DEFAULT,
    description:
      'For how many hours the previous secret signs too, 0 to 168. 0: it ends now, as after a leak; also the only way to rotate again within an overlap.',
  })
  overlapHours?: number | null;
}

@ObjectType({ description: 'The webhook with its new secret.' })
export class RotateWebhookSecretPayload {
  @Field(() => Webhook, { description: 'As it is now.' })
  webhook!: Webhook;

  @Field(() => String, {
    description:
      'The new signing secret, shown this once. `webhook-signature` has it from now on, `X-Service-Signature` from the end of the overlap.',
  })
  secret!: string;
}

@InputType({ description: 'A webhook to try out. It must be active.' })
export class TestWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The name of the event type to send, also a deprecated one; default: `webhook.test`. The webhook need not subscribe to it.',
  })
  eventType?: string | null;

  @Field(() => JSONObject, {
    nullable: true,
    description:
      "What to send, as the schema of the event type has it; default: the type's `samplePayload`. Not for a reserved type, whose payloads only the service writes.",
  })
  payload?: Record<string, unknown> | null;
}

@ObjectType({ description: 'The test under way.' })
export class TestWebhookPayload {
  @Field(() => Delivery, { description: 'The delivery of the test event, like any other delivery.' })
  delivery!: Delivery;
}

@InputType({ description: 'A webhook whose held deliveries are to be sent. It must be active.' })
export class ReleaseHeldInput {
  @Field(() => ID, { description: 'The webhook.' })
  webhookId!: string;
}

@ObjectType({ description: 'The webhook whose deliveries are on their way.' })
export class ReleaseHeldPayload {
  @Field(() => Webhook, { description: 'As it is now; held deliveries follow in the background.' })
  webhook!: Webhook;
}
