import 'reflect-metadata';
import { Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import {
  VERIFICATION_METHODS,
  VERIFICATION_STATUSES,
  type VerificationMethod,
  type VerificationStatus,
} from '../../../domain/challenges/challenge.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';
import { Webhook } from '../../../entities/webhook.js';
import { verifyWebhook } from '../../../operations/webhooks/verify-webhook.js';
import type { Context } from '../../context/context.js';
import { InputArg } from '../fields/arguments.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { readWebhook } from './webhook.js';

const Status = graphqlEnum(
  'VerificationStatus',
  'Whether an endpoint has proved that it wants deliveries.',
  VERIFICATION_STATUSES,
);

const Method = graphqlEnum(
  'VerificationMethod',
  'How an endpoint has proved that it wants deliveries.',
  VERIFICATION_METHODS,
);

@ObjectType({ description: 'The proof that the endpoint of a webhook wants deliveries.' })
class Verification {
  @Field(() => Status, { description: 'Whether it has proved it.' })
  status!: VerificationStatus;

  @Nullable(() => Date, 'When it answered last. Null: it was not asked yet, or no answer was recorded.')
  checkedAt!: Date | null;

  @Nullable(
    () => String,
    'Why its last answer was no proof: what came back to `OPTIONS` and to the challenge. Null when there is nothing to say.',
  )
  detail!: string | null;

  @Nullable(
    () => String,
    'Why its last answer to `OPTIONS` was no proof: `NO_ALLOWED_ORIGIN` for a success without `WebHook-Allowed-Origin`, and otherwise as `Attempt.errorCode`. `AUTH_FAILED`: there was no token, so nothing was asked. Null: not asked yet, or verified. There may be more in the future.',
  )
  optionsCode!: string | null;

  @Nullable(
    () => String,
    'The same for its last answer to the challenge: `NO_ECHO` for a success without the text of the challenge.',
  )
  challengeCode!: string | null;

  @Nullable(() => Method, 'How it has proved it. Null before.')
  method!: VerificationMethod | null;

  @Nullable(() => Date, 'When it is asked next, at the earliest. Null: not by itself.')
  nextAt!: Date | null;
}

@InputType({ description: 'The webhook whose endpoint is asked.' })
class VerifyWebhookInput {
  @Field(() => ID, { description: 'The id of the webhook.' })
  id!: string;
}

@ObjectType({ description: 'The webhook whose endpoint is being asked.' })
class VerifyWebhookPayload {
  @Field(() => Webhook, { description: 'The webhook. `verification` shows the answer when it is there.' })
  webhook!: Webhook;
}

@Resolver(() => Webhook)
export class VerificationResolver {
  @NullableResolver(
    () => Verification,
    'The proof that its endpoint wants deliveries. Null when none was asked for: the installation has `ENDPOINT_CHALLENGE=off`, or the webhook is older than that setting.',
  )
  verification(@Root() { id }: Webhook, @Ctx() context: Context): Promise<Verification | null> {
    return context.loaders.verificationByWebhook.load(id);
  }

  @Requires('webhooks:test')
  @Mutation(() => VerifyWebhookPayload, {
    description:
      'Asks the endpoint of an unverified webhook at once whether it wants deliveries, and then again as often as that of a new one. Nothing is asked of a verified one. Allowed 6 times a minute for each webhook, together with checks; all webhooks together ask one host 6 times a minute at most.',
  })
  async verifyWebhook(
    @InputArg(() => VerifyWebhookInput) { id }: VerifyWebhookInput,
    @Ctx() context: Context,
  ): Promise<VerifyWebhookPayload> {
    const webhook = await readWebhook(context, id, ['input', 'id']);
    context.rateLimits.requireCheck(webhook.id, 'asked');
    return { webhook: await verifyWebhook(context.db, webhook.tenantId, webhook.id) };
  }
}
