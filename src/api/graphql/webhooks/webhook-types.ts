import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import { PREVIOUS_SECRET_DAYS_MAX, SECRET_FORMS } from '../../../domain/signing/secret.js';
import { Delivery } from '../../../entities/delivery.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { Webhook } from '../../../entities/webhook.js';
import { Taken } from '../fields/field-types.js';
import { OVERLAP_HOURS_DEFAULT } from '../fields/input.js';
import { Requires } from '../fields/requires.js';

const HeldAction = graphqlEnum(
  'HeldAction',
  'What happens to the held deliveries of a webhook that is enabled. Deliveries that a pause has not held yet count as held.',
  {
    RELEASE: 'Send them at once, the oldest first. In a long backlog some may overtake others.',
    KEEP: 'Keep them held until `releaseHeld`, so that a test can be sent first.',
    DISCARD: 'Cancel them.',
  },
);

/** The fields that `updateWebhook` changes. */
export const CHANGEABLE = `${Object.keys(webhookFields).join(', ')} and active`;

const OPERATORS = 'Only platform keys with `platform:admin` or `platform:support` set it.';

const ifVersion = (verb: string) => ({
  nullable: true,
  description: `${verb} the webhook only if its \`version\` is this one. Otherwise nothing is done, with \`CONFLICT\`.`,
});

const WebhookScope = graphqlEnum('WebhookScope', 'Whose events a webhook gets.', {
  TENANT: 'Those of its tenant.',
  INSTALLATION:
    'Those that the installation has to tell its operator: what webhooks of all tenants raise, the audit logs, tenants, findings of the doctor.',
});

@InputType()
abstract class WebhookInput {
  @Field(() => ID, { description: 'The id of the webhook.' })
  id!: string;
}

@ObjectType()
abstract class WebhookPayload {
  @Field(() => Webhook, { description: 'The webhook after the change.' })
  webhook!: Webhook;
}

@Taken(webhookFields, 'new')
@InputType({ description: 'The webhook to create.' })
export class CreateWebhookInput {
  @Nullable(
    () => String,
    '1 to 255 printable ASCII characters. For 24 hours the same API key gets the same webhook with this key, as it is then, and its secret; with other values, or once the webhook was deleted or its secret rotated, it is a CONFLICT.',
  )
  idempotencyKey?: string | null;

  @Nullable(
    () => Boolean,
    'False makes the webhook paused: its deliveries are held until it is enabled, and none is sent before. Default: true.',
  )
  active?: boolean | null;

  @Nullable(
    () => String,
    `The signing secret that a webhook of another service had: ${SECRET_FORMS}. ${OPERATORS} By default the service makes one.`,
  )
  secret?: string | null;

  @Nullable(
    () => String,
    `A secret that signs too, as after a rotation, until \`previousSecretExpiresAt\`. It has the forms of \`secret\`. ${OPERATORS}`,
  )
  previousSecret?: string | null;

  @Nullable(
    () => Date,
    `Until when \`previousSecret\` signs: at most ${PREVIOUS_SECRET_DAYS_MAX} days from now. Default: 24 hours.`,
  )
  previousSecretExpiresAt?: Date | null;

  @Nullable(
    () => WebhookScope,
    'Whose events it gets, as the request says: `INSTALLATION` needs a key with `platform:admin` and the header `Hookwright-Tenant: installation`. Default: what the header says.',
  )
  scope?: keyof typeof WebhookScope | null;
}

@ObjectType({ description: 'The new webhook and its secret.' })
export class CreateWebhookPayload {
  @Field(() => Webhook, { description: 'The new webhook.' })
  webhook!: Webhook;

  @Requires('webhooks:secrets')
  @Field(() => String, { description: 'The signing secret. It is shown again only for the same `idempotencyKey`.' })
  secret!: string;
}

@Taken(webhookFields, 'change')
@InputType({ description: `Changes of a webhook. Fields that are left out stay. At least one of ${CHANGEABLE}.` })
export class UpdateWebhookInput extends WebhookInput {
  @Nullable(
    () => Boolean,
    'True enables the webhook and sets its failures to 0. False pauses it, and its deliveries are held. Setting the current value has no effect.',
  )
  active?: boolean | null;

  @Nullable(
    () => HeldAction,
    'Only together with `active: true`: what happens to held deliveries; default `RELEASE`. A webhook that is already active keeps its held deliveries unless this is set.',
  )
  held?: keyof typeof HeldAction | null;

  @Field(() => Int, ifVersion('Change'))
  ifVersion?: number | null;
}

@ObjectType({ description: 'The changed webhook.' })
export class UpdateWebhookPayload extends WebhookPayload {}

@InputType({
  description: 'The webhook to delete. Its secret is erased; its history stays until the retention time ends.',
})
export class DeleteWebhookInput extends WebhookInput {
  @Field(() => Int, ifVersion('Delete'))
  ifVersion?: number | null;
}

@ObjectType({ description: 'The deleted webhook.' })
export class DeleteWebhookPayload {
  @ShowsIdOf('Webhook', { description: 'The id of the deleted webhook.' })
  deletedWebhookId!: number;
}

@InputType({ description: 'The webhook that gets a new signing secret.' })
export class RotateWebhookSecretInput extends WebhookInput {
  @Nullable(
    () => Int,
    'Hours for which the previous secret signs too, 0 to 168. With 0 it ends now, as after a leak; this is also the only way to rotate again within an overlap.',
    { defaultValue: OVERLAP_HOURS_DEFAULT },
  )
  overlapHours?: number | null;
}

@ObjectType({ description: 'The webhook and its new secret.' })
export class RotateWebhookSecretPayload extends WebhookPayload {
  @Field(() => String, {
    description:
      'The new signing secret. It is never shown again. `webhook-signature` uses it from now on, `X-Service-Signature` from the end of the overlap.',
  })
  secret!: string;
}

@InputType({ description: 'The webhook to test. It must be active.' })
export class TestWebhookInput extends WebhookInput {
  @Nullable(
    () => String,
    'The event type to send; default `webhook.test`. It may be deprecated, and the webhook need not subscribe to it.',
  )
  eventType?: string | null;

  @Nullable(
    () => JSONObject,
    'The payload, which must match the schema of the event type; default: the `samplePayload` of the type. Not for a reserved type, whose payloads only the service writes.',
  )
  payload?: Record<string, unknown> | null;
}

@ObjectType({ description: 'The test that is under way.' })
export class TestWebhookPayload {
  @Field(() => Delivery, { description: 'The delivery of the test event. It is like any other delivery.' })
  delivery!: Delivery;
}

@InputType({ description: 'The webhook to check.' })
export class CheckWebhookInput {
  @Field(() => ID, { description: 'The id of the webhook, active or not.' })
  webhookId!: string;
}

@ObjectType({ description: 'The check that was started.' })
export class CheckWebhookPayload {
  @Field(() => Delivery, { description: 'The delivery of the check. Its only attempt has the answer of the endpoint.' })
  delivery!: Delivery;
}

@InputType({ description: 'The disabled webhook to probe.' })
export class ProbeWebhookInput {
  @Field(() => ID, { description: 'The id of the webhook. Failures must have disabled it.' })
  webhookId!: string;
}

@ObjectType({ description: 'The probe that was started.' })
export class ProbeWebhookPayload {
  @Field(() => Delivery, { description: 'The delivery that is sent: the oldest held one, or a test.' })
  delivery!: Delivery;
}

@InputType({ description: 'The webhook whose held deliveries are sent. It must be active.' })
export class ReleaseHeldInput {
  @Field(() => ID, { description: 'The id of the webhook.' })
  webhookId!: string;
}

@ObjectType({ description: 'The webhook whose held deliveries are being sent, in the background.' })
export class ReleaseHeldPayload extends WebhookPayload {}
