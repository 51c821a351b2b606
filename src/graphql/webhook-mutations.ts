import 'reflect-metadata';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { z } from 'zod';
import { actorOf, type Context, tenantOf } from '../context.js';
import type { Emit } from '../domain/emit.js';
import { TEST_EVENT_TYPE } from '../domain/event-type.js';
import { Webhook } from '../entities/webhook.js';
import { invalidInput, notFound } from '../errors.js';
import { createWebhook } from '../operations/webhooks/create-webhook.js';
import { deleteWebhook } from '../operations/webhooks/delete-webhook.js';
import { releaseHeld } from '../operations/webhooks/release-held.js';
import { rotateSecret } from '../operations/webhooks/rotate-secret.js';
import { updateWebhook, type WebhookChange } from '../operations/webhooks/update-webhook.js';
import type { WebhookRow } from '../operations/webhooks/webhook-row.js';
import { boundsOf } from './delivery.js';
import { emitFor } from './emit-for.js';
import { refusalError } from './emit-refusals.js';
import { idOf } from './fields/ids.js';
import {
  given,
  OVERLAP_HOURS_DEFAULT,
  overlapHours as overlapHoursSchema,
  parseInput,
  webhookEventTypes,
  webhookUrl,
} from './fields/input.js';
import { Requires } from './fields/requires.js';
import { readWebhook } from './webhook.js';
import {
  CreateWebhookInput,
  CreateWebhookPayload,
  DeleteWebhookInput,
  DeleteWebhookPayload,
  ReleaseHeldInput,
  ReleaseHeldPayload,
  RotateWebhookSecretInput,
  RotateWebhookSecretPayload,
  TestWebhookInput,
  TestWebhookPayload,
  UpdateWebhookInput,
  UpdateWebhookPayload,
} from './webhook-types.js';

const input = { description: 'What to do.' };

@Resolver()
export class WebhookMutations {
  @Requires('webhooks:write')
  @Mutation(() => CreateWebhookPayload, { description: 'Makes a webhook. It is active at once.' })
  async createWebhook(
    @Arg('input', () => CreateWebhookInput, input) { url, eventTypes }: CreateWebhookInput,
    @Ctx() context: Context,
  ): Promise<CreateWebhookPayload> {
    const rules = await rulesFor(context);
    const { webhook, secret } = await createWebhook(context.db, context.vault, context.random, {
      tenantId: tenantOf(context),
      ...parseInput(z.object(rules), { url, eventTypes }, ['input']),
      webhooksMax: context.config.webhooksPerTenantMax,
      by: actorOf(context),
    });
    return { webhook: webhookOf(webhook), secret };
  }

  @Requires('webhooks:write')
  @Mutation(() => UpdateWebhookPayload, { description: 'Changes, enables or pauses a webhook.' })
  async updateWebhook(
    @Arg('input', () => UpdateWebhookInput, input) { id, ...wanted }: UpdateWebhookInput,
    @Ctx() context: Context,
  ): Promise<UpdateWebhookPayload> {
    const webhookId = idOf('Webhook', id, ['input', 'id']);
    const active = given(wanted.active);
    const held = given(wanted.held);
    const rules = await rulesFor(context);
    const { url, eventTypes } = parseInput(
      z.object(rules).partial(),
      { url: given(wanted.url), eventTypes: given(wanted.eventTypes) },
      ['input'],
    );
    if (url === undefined && eventTypes === undefined && active === undefined) {
      const detail = 'must have at least one of url, eventTypes and active';
      throw invalidInput([{ path: ['input'], code: 'nothing_to_change', detail }]);
    }
    if (held !== undefined && active !== true) {
      const detail = 'has a meaning only together with active: true';
      throw invalidInput([{ path: ['input', 'held'], code: 'contradiction', detail }]);
    }
    const change: WebhookChange = {
      ...(url === undefined ? {} : { url }),
      ...(eventTypes === undefined ? {} : { eventTypes }),
      ...(active === undefined ? {} : { active }),
      ...(held === undefined ? {} : { held }),
    };
    const { holdHours } = context.config;
    await updateWebhook(context.db, tenantOf(context), webhookId, change, holdHours, actorOf(context));
    return { webhook: await readWebhook(context, id, ['input', 'id']) };
  }

  @Requires('webhooks:write')
  @Mutation(() => DeleteWebhookPayload, {
    description: 'Deletes a webhook. Deliveries that have not been sent are canceled.',
  })
  async deleteWebhook(
    @Arg('input', () => DeleteWebhookInput, input) { id }: DeleteWebhookInput,
    @Ctx() context: Context,
  ): Promise<DeleteWebhookPayload> {
    const webhookId = idOf('Webhook', id, ['input', 'id']);
    await deleteWebhook(context.db, tenantOf(context), webhookId, actorOf(context));
    return { deletedWebhookId: webhookId };
  }

  @Requires('webhooks:write')
  @Mutation(() => RotateWebhookSecretPayload, {
    description:
      'Gives a webhook a new signing secret, shown this once: without `secret` in the answer it is changed all the same, and nobody has the new one. The previous secret signs too while the overlap lasts.',
  })
  async rotateWebhookSecret(
    @Arg('input', () => RotateWebhookSecretInput, input) { id, overlapHours }: RotateWebhookSecretInput,
    @Ctx() context: Context,
  ): Promise<RotateWebhookSecretPayload> {
    const hours = parseInput(overlapHoursSchema, overlapHours ?? OVERLAP_HOURS_DEFAULT, [
      'input',
      'overlapHours',
    ]);
    const { db, vault, random } = context;
    const { webhook, secret } = await rotateSecret(db, vault, random, tenantOf(context), {
      webhookId: idOf('Webhook', id, ['input', 'id']),
      overlapHours: hours,
      by: actorOf(context),
    });
    return { webhook: webhookOf(webhook), secret };
  }

  @Requires('webhooks:write')
  @Mutation(() => TestWebhookPayload, {
    description:
      'Sends a `webhook.test` event to this webhook alone, whatever it subscribed to. It is retried and counted like any other delivery.',
  })
  async testWebhook(
    @Arg('input', () => TestWebhookInput, input) { id }: TestWebhookInput,
    @Ctx() context: Context,
  ): Promise<TestWebhookPayload> {
    const webhook = await readWebhook(context, id, ['input', 'id']);
    const emit: Emit = {
      tenantId: webhook.tenantId,
      eventType: TEST_EVENT_TYPE,
      body: JSON.stringify({ message: 'A test of this webhook.' }),
      idempotencyKey: null,
      onlyWebhookId: webhook.id,
    };
    const result = (await emitFor(context, [emit]))[0]!;
    if (result.refused !== null) {
      throw refusalError(result.refused, emit, ['input']);
    }
    const bounds = boundsOf({ above: null, below: null, order: 'desc', limit: 1 }, null);
    const [delivery] = await context.loaders.deliveriesByEvent.load({ eventId: result.eventId, bounds });
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
    await releaseHeld(
      context.db,
      tenantOf(context),
      idOf('Webhook', webhookId, ['input', 'webhookId']),
      actorOf(context),
    );
    return { webhook: await readWebhook(context, webhookId, ['input', 'webhookId']) };
  }
}

const webhookOf = (row: WebhookRow): Webhook => Object.assign(new Webhook(), row);

/** For both in one object, so that a caller who broke two rules hears of both. */
async function rulesFor({ config, eventTypes: registry }: Context) {
  return {
    url: webhookUrl(config.target),
    eventTypes: webhookEventTypes(await registry.names()),
  };
}
