import 'reflect-metadata';
import {
  Arg,
  Ctx,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import { z } from 'zod';
import { type Context, parseId, tenantOf } from '../context.js';
import { TEST_EVENT_TYPE } from '../domain/event-type.js';
import { Delivery } from '../entities/delivery.js';
import { Webhook } from '../entities/webhook.js';
import { ApiError, invalidInput, notFound } from '../errors.js';
import { createWebhook } from '../operations/create-webhook.js';
import { deleteWebhook } from '../operations/delete-webhook.js';
import { releaseHeld } from '../operations/release-held.js';
import { updateWebhook, type WebhookChange } from '../operations/update-webhook.js';
import { given, parseInput, webhookEventTypes, webhookUrl } from './input.js';
import { Requires } from './requires.js';
import { readWebhook } from './webhook.js';

export enum HeldAction {
  RELEASE = 'RELEASE',
  KEEP = 'KEEP',
  DISCARD = 'DISCARD',
}
registerEnumType(HeldAction, {
  name: 'HeldAction',
  description: 'What becomes of held deliveries when their webhook is enabled.',
  valuesConfig: {
    RELEASE: { description: 'They are sent, in the order of their ids.' },
    KEEP: { description: 'They stay held until `releaseHeld`, so that a test can be sent first.' },
    DISCARD: { description: 'They are canceled.' },
  },
});

const urlDescription = 'An absolute https url of at most 2,048 characters, without userinfo and fragment.';
const eventTypesDescription =
  '1 to 100 different names of event types, or exactly `["*"]` for all, later ones included.';

@InputType({ description: 'A webhook to make.' })
class CreateWebhookInput {
  @Field(() => String, { description: urlDescription })
  url!: string;

  @Field(() => [String], { description: eventTypesDescription })
  eventTypes!: string[];
}

@ObjectType({ description: 'A new webhook and its secret.' })
class CreateWebhookPayload {
  @Field(() => Webhook, { description: 'The new webhook.' })
  webhook!: Webhook;

  @Field(() => String, { description: 'The signing secret. It is never shown again.' })
  secret!: string;
}

@InputType({
  description:
    'What to change in a webhook; what is not given stays. At least one of url, eventTypes, active.',
})
class UpdateWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;

  @Field(() => String, { nullable: true, description: urlDescription })
  url?: string | null;

  @Field(() => [String], { nullable: true, description: eventTypesDescription })
  eventTypes?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True enables the webhook and sets its failures to 0; false pauses it, and events for it are held.',
  })
  active?: boolean | null;

  @Field(() => HeldAction, {
    defaultValue: HeldAction.RELEASE,
    description: 'Together with `active: true`: what becomes of its held deliveries.',
  })
  held!: HeldAction;
}

@ObjectType({ description: 'The changed webhook.' })
class UpdateWebhookPayload {
  @Field(() => Webhook, { description: 'As it is now.' })
  webhook!: Webhook;
}

@InputType({
  description: 'A webhook to delete. Its secret is erased, and its history stays until the retention ends.',
})
class DeleteWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;
}

@ObjectType({ description: 'What was deleted.' })
class DeleteWebhookPayload {
  @Field(() => ID, { description: 'The id of the deleted webhook.' })
  deletedWebhookId!: number;
}

@InputType({ description: 'A webhook to try out. It must be active.' })
class TestWebhookInput {
  @Field(() => ID, { description: 'The webhook.' })
  id!: string;
}

@ObjectType({ description: 'The test under way.' })
class TestWebhookPayload {
  @Field(() => Delivery, { description: 'The delivery of a `webhook.test` event, like any other delivery.' })
  delivery!: Delivery;
}

@InputType({ description: 'A webhook whose held deliveries are to be sent. It must be active.' })
class ReleaseHeldInput {
  @Field(() => ID, { description: 'The webhook.' })
  webhookId!: string;
}

@ObjectType({ description: 'The webhook whose deliveries are on their way.' })
class ReleaseHeldPayload {
  @Field(() => Webhook, { description: 'As it is now; held deliveries follow in the background.' })
  webhook!: Webhook;
}

const input = { description: 'What to do.' };

@Resolver()
export class WebhookMutations {
  @Requires('webhooks:write')
  @Mutation(() => CreateWebhookPayload, { description: 'Makes a webhook. It is active at once.' })
  async createWebhook(
    @Arg('input', () => CreateWebhookInput, input) { url, eventTypes }: CreateWebhookInput,
    @Ctx() context: Context,
  ): Promise<CreateWebhookPayload> {
    const judged = await judge(context, { url, eventTypes });
    const { id, secret } = await createWebhook(context.db, context.vault, context.random, {
      tenantId: tenantOf(context),
      url: judged.url ?? url,
      eventTypes: judged.eventTypes ?? eventTypes,
      webhooksMax: context.config.webhooksPerTenantMax,
    });
    return { webhook: await readWebhook(context, String(id)), secret };
  }

  @Requires('webhooks:write')
  @Mutation(() => UpdateWebhookPayload, { description: 'Changes, enables or pauses a webhook.' })
  async updateWebhook(
    @Arg('input', () => UpdateWebhookInput, input) { id, held, ...wanted }: UpdateWebhookInput,
    @Ctx() context: Context,
  ): Promise<UpdateWebhookPayload> {
    const webhookId = idOf(id);
    const active = given(wanted.active);
    const change = await judge(context, { url: given(wanted.url), eventTypes: given(wanted.eventTypes) });
    if (change.url === undefined && change.eventTypes === undefined && active === undefined) {
      const detail = 'must have at least one of url, eventTypes and active';
      throw invalidInput([{ path: ['input'], code: 'nothing_to_change', detail }]);
    }
    if (held !== HeldAction.RELEASE && active !== true) {
      const detail = 'has a meaning only together with active: true';
      throw invalidInput([{ path: ['input', 'held'], code: 'contradiction', detail }]);
    }
    const complete = { ...change, ...(active === undefined ? {} : { active }), held };
    await updateWebhook(context.db, tenantOf(context), webhookId, complete, context.config.holdHours);
    return { webhook: await readWebhook(context, id) };
  }

  @Requires('webhooks:write')
  @Mutation(() => DeleteWebhookPayload, {
    description: 'Deletes a webhook. Deliveries that have not been sent are canceled.',
  })
  async deleteWebhook(
    @Arg('input', () => DeleteWebhookInput, input) { id }: DeleteWebhookInput,
    @Ctx() context: Context,
  ): Promise<DeleteWebhookPayload> {
    const webhookId = idOf(id);
    await deleteWebhook(context.db, tenantOf(context), webhookId);
    return { deletedWebhookId: webhookId };
  }

  @Requires('webhooks:write')
  @Mutation(() => TestWebhookPayload, {
    description: 'Sends a `webhook.test` event to this webhook alone, whatever it subscribed to.',
  })
  async testWebhook(
    @Arg('input', () => TestWebhookInput, input) { id }: TestWebhookInput,
    @Ctx() context: Context,
  ): Promise<TestWebhookPayload> {
    const webhook = await readWebhook(context, id);
    const [result] = await context.emitter.emit([
      {
        tenantId: webhook.tenantId,
        eventType: TEST_EVENT_TYPE,
        body: JSON.stringify({ message: 'A test of this webhook.' }),
        idempotencyKey: null,
        onlyWebhookId: webhook.id,
      },
    ]);
    if (result === undefined || result.refused !== null) {
      throw new ApiError(
        'webhook_inactive',
        'An inactive webhook cannot be tested. Enable it with updateWebhook(input: {active: true, held: KEEP}), ' +
          'test it, and then send what was held with releaseHeld.',
      );
    }
    const [delivery] = await context.loaders.deliveriesByEvent.load(result.eventId);
    if (delivery === undefined) {
      throw notFound('webhook', webhook.id);
    }
    return { delivery };
  }

  @Requires('webhooks:write')
  @Mutation(() => ReleaseHeldPayload, {
    description: 'Sends what an active webhook holds since `held: KEEP`.',
  })
  async releaseHeld(
    @Arg('input', () => ReleaseHeldInput, input) { webhookId }: ReleaseHeldInput,
    @Ctx() context: Context,
  ): Promise<ReleaseHeldPayload> {
    await releaseHeld(context.db, tenantOf(context), idOf(webhookId));
    return { webhook: await readWebhook(context, webhookId) };
  }
}

function idOf(text: string): number {
  const id = parseId(text);
  if (id === null) {
    throw notFound('webhook', 'with such an id');
  }
  return id;
}

/** Judges both, so that a caller who broke two rules hears of both. */
async function judge(
  { config, eventTypes: registry }: Context,
  { url, eventTypes }: { url: string | undefined; eventTypes: string[] | undefined },
): Promise<Pick<WebhookChange, 'url' | 'eventTypes'>> {
  const schema = z.object({
    url: webhookUrl(config.target).optional(),
    eventTypes: webhookEventTypes(await registry.names()).optional(),
  });
  const judged = parseInput(schema, { url, eventTypes }, ['input']);
  return {
    ...(judged.url === undefined ? {} : { url: judged.url }),
    ...(judged.eventTypes === undefined ? {} : { eventTypes: judged.eventTypes }),
  };
}
