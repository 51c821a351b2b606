import 'reflect-metadata';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import type { Emit } from '../../domain/events/emit.js';
import { invalidInput, notFound } from '../../errors.js';
import { createWebhook } from '../../operations/webhooks/create-webhook.js';
import { deleteWebhook } from '../../operations/webhooks/delete-webhook.js';
import { releaseHeld } from '../../operations/webhooks/release-held.js';
import { rotateSecret } from '../../operations/webhooks/rotate-secret.js';
import { updateWebhook } from '../../operations/webhooks/update-webhook.js';
import {
  newWebhookInput,
  settingsIn,
  webhookChangeInput,
  webhookSettings,
} from '../../operations/webhooks/webhook-settings.js';
import { boundsOf } from '../deliveries/delivery.js';
import { emitFor } from '../emits/emit-for.js';
import { refusalError } from '../emits/emit-refusals.js';
import { idOf } from '../fields/ids.js';
import { given, OVERLAP_HOURS_DEFAULT, overlapHours as overlapHoursSchema, parseInput } from '../fields/input.js';
import { Requires } from '../fields/requires.js';
import { testEventOf } from './test-event.js';
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
  @Requires('webhooks:edit')
  @Mutation(() => CreateWebhookPayload, { description: 'Makes a webhook. It is active at once.' })
  async createWebhook(
    @Arg('input', () => CreateWebhookInput, input) wanted: CreateWebhookInput,
    @Ctx() context: Context,
  ): Promise<CreateWebhookPayload> {
    const { webhook, secret } = await createWebhook(context.db, context.vault, context.random, {
      tenantId: tenantOf(context),
      ...parseInput(newWebhookInput(await rulesFor(context)), { ...wanted }, ['input']),
      webhooksMax: context.config.webhooksPerTenantMax,
      by: actorOf(context),
    });
    return { webhook, secret };
  }

  @Requires('webhooks:edit')
  @Mutation(() => UpdateWebhookPayload, { description: 'Changes, enables or pauses a webhook.' })
  async updateWebhook(
    @Arg('input', () => UpdateWebhookInput, input) { id, ifVersion, ...wanted }: UpdateWebhookInput,
    @Ctx() context: Context,
  ): Promise<UpdateWebhookPayload> {
    const webhookId = idOf('Webhook', id, ['input', 'id']);
    const active = given(wanted.active);
    const held = given(wanted.held);
    const rules = webhookChangeInput(await rulesFor(context));
    const settings = parseInput(rules, settingsIn({ ...wanted }), ['input']);
    if (Object.keys(settings).length === 0 && active === undefined) {
      const detail = `must have at least one of ${Object.keys(webhookSettings).join(', ')} and active`;
      throw invalidInput([{ path: ['input'], code: 'nothing_to_change', detail }]);
    }
    if (held !== undefined && active !== true) {
      const detail = 'has a meaning only together with active: true';
      throw invalidInput([{ path: ['input', 'held'], code: 'contradiction', detail }]);
    }
    const change = {
      ...settings,
      ...(active === undefined ? {} : { active }),
      ...(held === undefined ? {} : { held }),
    };
    const { db, config } = context;
    const by = actorOf(context);
    const version = given(ifVersion);
    return { webhook: await updateWebhook(db, tenantOf(context), webhookId, change, config.holdHours, by, version) };
  }

  @Requires('webhooks:edit')
  @Mutation(() => DeleteWebhookPayload, {
    description: 'Deletes a webhook. Deliveries that have not been sent are canceled.',
  })
  async deleteWebhook(
    @Arg('input', () => DeleteWebhookInput, input) { id, ifVersion }: DeleteWebhookInput,
    @Ctx() context: Context,
  ): Promise<DeleteWebhookPayload> {
    const webhookId = idOf('Webhook', id, ['input', 'id']);
    await deleteWebhook(context.db, tenantOf(context), webhookId, actorOf(context), given(ifVersion));
    return { deletedWebhookId: webhookId };
  }

  @Requires('webhooks:secrets')
  @Mutation(() => RotateWebhookSecretPayload, {
    description:
      'Gives a webhook a new signing secret, shown this once: without `secret` in the answer it is changed all the same, and nobody has the new one. The previous secret signs too while the overlap lasts.',
  })
  async rotateWebhookSecret(
    @Arg('input', () => RotateWebhookSecretInput, input) { id, overlapHours }: RotateWebhookSecretInput,
    @Ctx() context: Context,
  ): Promise<RotateWebhookSecretPayload> {
    const hours = parseInput(overlapHoursSchema, overlapHours ?? OVERLAP_HOURS_DEFAULT, ['input', 'overlapHours']);
    const { db, vault, random } = context;
    const { webhook, secret } = await rotateSecret(db, vault, random, tenantOf(context), {
      webhookId: idOf('Webhook', id, ['input', 'id']),
      overlapHours: hours,
      by: actorOf(context),
    });
    return { webhook, secret };
  }

  @Requires('webhooks:test')
  @Mutation(() => TestWebhookPayload, {
    description:
      'Sends an event of a chosen type, default `webhook.test`, to this webhook alone, whatever it subscribed to. It is retried and counted like any other delivery.',
  })
  async testWebhook(
    @Arg('input', () => TestWebhookInput, input) wanted: TestWebhookInput,
    @Ctx() context: Context,
  ): Promise<TestWebhookPayload> {
    const webhook = await readWebhook(context, wanted.id, ['input', 'id']);
    const emit: Emit = {
      tenantId: webhook.tenantId,
      ...(await testEventOf(context, wanted)),
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

  @Requires('webhooks:edit')
  @Mutation(() => ReleaseHeldPayload, { description: 'Sends what an active webhook holds since `held: KEEP`.' })
  async releaseHeld(
    @Arg('input', () => ReleaseHeldInput, input) { webhookId }: ReleaseHeldInput,
    @Ctx() context: Context,
  ): Promise<ReleaseHeldPayload> {
    const id = idOf('Webhook', webhookId, ['input', 'webhookId']);
    return { webhook: await releaseHeld(context.db, tenantOf(context), id, actorOf(context)) };
  }
}

async function rulesFor({ config, eventTypes }: Context) {
  return { target: config.target, eventTypes: await eventTypes.names() };
}
