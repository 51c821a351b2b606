import 'reflect-metadata';
import { Ctx, Mutation, Resolver } from 'type-graphql';
import type { Emit } from '../../../domain/events/emit.js';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import { INSTALLATION_TENANT } from '../../../domain/installation/installation-tenant.js';
import { Delivery } from '../../../entities/delivery.js';
import { found, refusedInput } from '../../../errors.js';
import { changedValues, newValues } from '../../../operations/fields/rules.js';
import { unverified } from '../../../operations/proofs/inactive.js';
import { checkWebhook } from '../../../operations/webhooks/check-webhook.js';
import { createWebhook } from '../../../operations/webhooks/create-webhook.js';
import { deleteWebhook } from '../../../operations/webhooks/delete-webhook.js';
import { probeNow } from '../../../operations/webhooks/probe-webhooks.js';
import { releaseHeld } from '../../../operations/webhooks/release-held.js';
import { rotateSecret } from '../../../operations/webhooks/rotate-secret.js';
import { sealSettings } from '../../../operations/webhooks/settings.js';
import { updateWebhook } from '../../../operations/webhooks/update-webhook.js';
import { FRESH } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { boundsOf } from '../deliveries/delivery.js';
import { emitFor } from '../emits/emit-for.js';
import { refusalError } from '../emits/emit-refusals.js';
import { InputArg } from '../fields/arguments.js';
import { idOf } from '../fields/ids.js';
import {
  idempotencyKey as idempotencyKeySchema,
  OVERLAP_HOURS_DEFAULT,
  overlapHours as overlapHoursSchema,
  parseInput,
} from '../fields/input.js';
import { requireAskingDaemons, requireNewDaemons, requireSigningDaemons } from '../fields/older-daemons.js';
import { optionsOf } from '../fields/options-of.js';
import { Requires } from '../fields/requires.js';
import { signingKeyFor } from '../tenants/signing-keys.js';
import { requireRights } from './field-rights.js';
import { judgedContent } from './judged-content.js';
import { ownSecretsOf } from './own-secrets.js';
import { pinOf, requireFixedRelease } from './pinned-release.js';
import { isUnverified, mustProve, requireProvableMove } from './proofs.js';
import { testEventOf } from './test-event.js';
import { readWebhook } from './webhook.js';
import {
  CHANGEABLE,
  CheckWebhookInput,
  CheckWebhookPayload,
  CreateWebhookInput,
  CreateWebhookPayload,
  DeleteWebhookInput,
  DeleteWebhookPayload,
  ProbeWebhookInput,
  ProbeWebhookPayload,
  ReleaseHeldInput,
  ReleaseHeldPayload,
  RotateWebhookSecretInput,
  RotateWebhookSecretPayload,
  TestWebhookInput,
  TestWebhookPayload,
  UpdateWebhookInput,
  UpdateWebhookPayload,
} from './webhook-types.js';

/** The options that a webhook has. Null unless the changes have content. */
async function optionsBefore(context: Context, id: string, { content }: { content?: object | null }) {
  return content == null ? null : await optionsOf(await readWebhook(context, id, ['input', 'id']), context);
}

/** @throws ApiError invalid_input when the request acts for something else */
function requireActingFor({ tenantId }: Context, scope: CreateWebhookInput['scope']): void {
  const actsFor = tenantId === INSTALLATION_TENANT ? 'INSTALLATION' : 'TENANT';
  if (scope != null && scope !== actsFor) {
    const detail =
      scope === 'INSTALLATION'
        ? 'needs the header Hookwright-Tenant: installation, and a key with platform:admin'
        : 'must be INSTALLATION, as the header Hookwright-Tenant says, or be left out';
    throw refusedInput(['scope'], 'contradiction', detail);
  }
}

@Resolver()
export class WebhookMutations {
  @Requires('webhooks:edit')
  @Mutation(() => CreateWebhookPayload, {
    description:
      'Creates a webhook. It is active at once, unless the input says otherwise, or its endpoint must prove first that it wants deliveries (`verification`).',
  })
  async createWebhook(
    @InputArg(() => CreateWebhookInput) wanted: CreateWebhookInput,
    @Ctx() context: Context,
  ): Promise<CreateWebhookPayload> {
    const { idempotencyKey, scope, active, secret, previousSecret, previousSecretExpiresAt, ...settings } = wanted;
    requireActingFor(context, scope);
    requireRights(context, settings, (value) => value != null);
    const tenantId = tenantOf(context);
    const own = ownSecretsOf(context, { secret, previousSecret, previousSecretExpiresAt });
    const key = parseInput(idempotencyKeySchema.nullable(), idempotencyKey ?? null, ['input', 'idempotencyKey']);
    const pin = await pinOf(context, settings);
    const { known } = await judgedContent(context, settings, null, pin);
    const given = parseInput(newValues(webhookFields, known), settings, ['input']);
    await requireFixedRelease(context, settings);
    await requireNewDaemons(context, webhookFields, { ...given, release: given.release ?? pin });
    await requireSigningDaemons(context, own);
    const challenge = mustProve(context);
    if (challenge) {
      await requireAskingDaemons(context);
    }
    const { holdHours } = context.config;
    return createWebhook(context.db, context.vault, context.random, {
      tenantId,
      idempotencyKey: key,
      ...given,
      own,
      pin,
      paused: active === false ? { holdHours } : null,
      challenge: challenge ? { holdHours } : null,
      signingKey: await signingKeyFor(context, tenantId, given),
      webhooksMax: context.config.webhooksPerTenantMax,
      actor: actorOf(context),
    });
  }

  @Requires('webhooks:edit', 'webhooks:options')
  @Mutation(() => UpdateWebhookPayload, { description: 'Changes, enables or pauses a webhook.' })
  async updateWebhook(
    @InputArg(() => UpdateWebhookInput) { id, ifVersion, active, held, ...changes }: UpdateWebhookInput,
    @Ctx() context: Context,
  ): Promise<UpdateWebhookPayload> {
    requireRights(context, { ...changes, active });
    const webhookId = idOf('Webhook', id, ['input', 'id']);
    const { known, input } = await judgedContent(context, changes, await optionsBefore(context, id, changes));
    const given = parseInput(changedValues(webhookFields, known), input, ['input']);
    await requireFixedRelease(context, changes);
    await requireNewDaemons(context, webhookFields, given);
    await requireProvableMove(context, id, given.url);
    const settings = await sealSettings(context.vault, tenantOf(context), webhookId, given);
    const isEmpty = Object.keys(settings).length === 0 && Object.values(changes).every((value) => value == null);
    if (isEmpty && typeof active !== 'boolean' && ifVersion == null) {
      const detail = `must have at least one of ${CHANGEABLE}`;
      throw refusedInput([], 'nothing_to_change', detail);
    }
    if (held && active !== true) {
      const detail = 'has a meaning only together with active: true';
      throw refusedInput(['held'], 'contradiction', detail);
    }
    const [tenantId, by, version] = [tenantOf(context), actorOf(context), ifVersion ?? undefined];
    const signingKey = await signingKeyFor(context, tenantId, given);
    const switched = { active: active ?? undefined, held: held ?? undefined, challenge: mustProve(context) };
    const change = { ...settings, ...switched, signingKey };
    const { db, config } = context;
    return { webhook: await updateWebhook(db, tenantId, webhookId, change, config.holdHours, by, version) };
  }

  @Requires('webhooks:edit')
  @Mutation(() => DeleteWebhookPayload, {
    description: 'Deletes a webhook. Deliveries that were not sent yet are canceled.',
  })
  async deleteWebhook(
    @InputArg(() => DeleteWebhookInput) { id, ifVersion }: DeleteWebhookInput,
    @Ctx() context: Context,
  ): Promise<DeleteWebhookPayload> {
    const webhookId = idOf('Webhook', id, ['input', 'id']);
    await deleteWebhook(context.db, tenantOf(context), webhookId, actorOf(context), ifVersion ?? undefined);
    return { deletedWebhookId: webhookId };
  }

  @Requires('webhooks:secrets')
  @Mutation(() => RotateWebhookSecretPayload, {
    description:
      'Gives a webhook a new signing secret. Select `secret`: it is shown only here. The previous secret signs too during the overlap.',
  })
  async rotateWebhookSecret(
    @InputArg(() => RotateWebhookSecretInput) { id, overlapHours }: RotateWebhookSecretInput,
    @Ctx() context: Context,
  ): Promise<RotateWebhookSecretPayload> {
    const hours = parseInput(overlapHoursSchema, overlapHours ?? OVERLAP_HOURS_DEFAULT, ['input', 'overlapHours']);
    const { db, vault, random } = context;
    return rotateSecret(db, vault, random, tenantOf(context), {
      webhookId: idOf('Webhook', id, ['input', 'id']),
      overlapHours: hours,
      by: actorOf(context),
    });
  }

  @Requires('webhooks:test')
  @Mutation(() => TestWebhookPayload, {
    description:
      'Sends an event to this webhook alone, whether it subscribes to the type or not. The delivery is retried and counted like any other.',
  })
  async testWebhook(
    @InputArg(() => TestWebhookInput) wanted: TestWebhookInput,
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
      if (result.refused === 'WEBHOOK_NOT_ACTIVE' && (await isUnverified(context, webhook.id))) {
        throw unverified(webhook.id);
      }
      throw refusalError(result, emit, ['input']);
    }
    const bounds = boundsOf({ above: null, below: null, order: 'desc', limit: 1 }, null);
    const [delivery] = await context.loaders.deliveriesByEvent.load({ eventId: result.eventId, bounds });
    return { delivery: found(delivery, 'webhook', webhook.id) };
  }

  @Requires('webhooks:test')
  @Mutation(() => CheckWebhookPayload, {
    description:
      'Sends `webhook.test` to this webhook once, even though it is disabled, paused or gone. Unlike a test, a check is not retried, is never held, changes no health and raises no event. Allowed 6 times a minute for each webhook.',
  })
  async checkWebhook(
    @InputArg(() => CheckWebhookInput) { webhookId }: CheckWebhookInput,
    @Ctx() context: Context,
  ): Promise<CheckWebhookPayload> {
    const webhook = await readWebhook(context, webhookId, ['input', 'webhookId']);
    context.rateLimits.requireCheck(webhook.id);
    const id = await checkWebhook(context.db, webhook.tenantId, webhook.id);
    return { delivery: found(await context.em.findOne(Delivery, { id }, FRESH), 'delivery', id) };
  }

  @Requires('webhooks:edit')
  @Mutation(() => ProbeWebhookPayload, {
    description:
      'Sends the oldest held delivery of a webhook that failures have disabled, or `webhook.test` if none is held. A success enables the webhook and releases what it holds. A failure changes nothing and uses up no retry. Allowed 6 times a minute for each webhook, together with checks.',
  })
  async probeWebhook(
    @InputArg(() => ProbeWebhookInput) { webhookId }: ProbeWebhookInput,
    @Ctx() context: Context,
  ): Promise<ProbeWebhookPayload> {
    const webhook = await readWebhook(context, webhookId, ['input', 'webhookId']);
    context.rateLimits.requireCheck(webhook.id);
    const id = await probeNow(context.db, webhook.tenantId, webhook.id);
    return { delivery: found(await context.em.findOne(Delivery, { id }, FRESH), 'delivery', id) };
  }

  @Requires('webhooks:edit')
  @Mutation(() => ReleaseHeldPayload, {
    description: 'Sends the deliveries that an active webhook holds since `held: KEEP`.',
  })
  async releaseHeld(
    @InputArg(() => ReleaseHeldInput) { webhookId }: ReleaseHeldInput,
    @Ctx() context: Context,
  ): Promise<ReleaseHeldPayload> {
    const id = idOf('Webhook', webhookId, ['input', 'webhookId']);
    return { webhook: await releaseHeld(context.db, tenantOf(context), id, actorOf(context)) };
  }
}
