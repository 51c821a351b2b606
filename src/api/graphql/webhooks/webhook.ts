import 'reflect-metadata';
import type { FilterQuery } from '@mikro-orm/core';
import { Args, Ctx, Field, FieldResolver, InputType, Int, Query, Resolver, Root } from 'type-graphql';
import { WILDCARD } from '../../../domain/events/event-type.js';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import type { Delivery } from '../../../entities/delivery.js';
import { Nullable } from '../../../entities/nullable.js';
import { Webhook } from '../../../entities/webhook.js';
import { WebhookOptions } from '../../../entities/webhook-options.js';
import { found, type Path } from '../../../errors.js';
import { externalId as externalIdRule } from '../../../operations/fields/kind-rules.js';
import { FRESH } from '../../../platform/database/tenant-database.js';
import { type Context, requireTenant } from '../../context/context.js';
import { DeliveryConnection, readDeliveries } from '../deliveries/delivery.js';
import { WebhookDeliveryFilter } from '../deliveries/delivery-filter.js';
import { ExternalIdArg, FilterArg, OneIdArg } from '../fields/arguments.js';
import {
  type Connection,
  ConnectionArgs,
  connectionOf,
  pagedQuery,
  readConnection,
  searchQuery,
} from '../fields/connection.js';
import { ANOTHER_ID, idOf, oneIdOf } from '../fields/ids.js';
import { containing, parseInput, searchText } from '../fields/input.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import { NullableResolver } from '../fields/nullable.js';
import { optionsOf } from '../fields/options-of.js';
import { Requires } from '../fields/requires.js';
import { Resolved } from '../fields/resolved.js';
import { EndpointState } from './endpoint-state.js';
import { optionWarnings } from './option-warnings.js';

@InputType({ description: 'A text in the metadata of a webhook.' })
class MetadataFilter {
  @Field(() => String, { description: 'The key.' })
  key!: string;

  @Field(() => String, { description: 'The whole text.' })
  value!: string;
}

@InputType({ description: 'Conditions for webhooks. All of them must be met.' })
class WebhookFilter {
  @Nullable(() => Boolean, 'Only active webhooks, or only inactive ones.')
  active?: boolean | null;

  @Nullable(() => String, 'Only webhooks that get events of this type, including those with `["*"]`.')
  eventType?: string | null;

  @Nullable(() => String, 'Only the webhook with exactly this external id.')
  externalId?: string | null;

  @Nullable(
    () => String,
    'Only webhooks whose name, description, external id or url contains this text, ignoring case: 1 to 200 characters.',
  )
  search?: string | null;

  @Nullable(() => MetadataFilter, 'Only webhooks whose metadata has this text under this key.')
  metadata?: MetadataFilter | null;
}

const WebhookConnection = connectionOf(Webhook, 'Webhook', 'webhooks');

const tenantOfWebhook = async ({ tenant, tenantId }: Webhook, { loaders }: Context) =>
  tenant ?? (await loaders.tenantById.load(tenantId));

@Resolver(() => Webhook)
@Resolved(webhookFields, optionsOf, tenantOfWebhook, optionWarnings)
export class WebhookResolver {
  @Requires('webhooks:read')
  @Query(() => Webhook, { nullable: true, description: 'One webhook. Null with NOT_FOUND when it does not exist.' })
  async webhook(
    @OneIdArg() id: string | null,
    @ExternalIdArg() externalId: string | null,
    @Ctx() context: Context,
  ): Promise<Webhook> {
    const by = oneIdOf('Webhook', id, externalId);
    const number = by.id ?? (await numberOf(context, by.externalId));
    const webhook = number === null ? null : await context.loaders.webhookById.load(number);
    return found(webhook, 'webhook', by.id ?? ANOTHER_ID);
  }

  @Requires('webhooks:read')
  @Query(() => WebhookConnection, { nullable: true, description: "The tenant's webhooks, newest first." })
  async webhooks(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => WebhookFilter) filter: WebhookFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Webhook>> {
    const query = filter?.search ? searchQuery : pagedQuery;
    return readConnection('webhooks', page, query(context.em, Webhook, await conditionsOf(context, filter)));
  }

  @Requires('deliveries:read')
  @NullableResolver(() => DeliveryConnection, 'The deliveries of the webhook, newest first.')
  deliveries(
    @Root() webhook: Webhook,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @FilterArg(() => WebhookDeliveryFilter) filter: WebhookDeliveryFilter | null,
    @Ctx() context: Context,
  ): Promise<Connection<Delivery>> {
    return readDeliveries(context, page, filter, webhook.id);
  }

  @NullableResolver(() => EndpointState, 'The state of the endpoint. Null when nothing was sent there for a day.')
  endpointState(@Root() webhook: Webhook, @Ctx() context: Context): Promise<EndpointState | null> {
    return context.loaders.endpointStateByWebhook.load(webhook.id);
  }

  @NullableResolver(
    () => Date,
    'When the service next sends a delivery to see whether the endpoint answers again, because failures have disabled the webhook and its `recovery` is AUTOMATIC. Otherwise null.',
  )
  async nextProbeAt(@Root() webhook: Webhook, @Ctx() context: Context): Promise<Date | null> {
    return webhook.disabledReason === 'FAILURES' ? await context.loaders.nextProbeByWebhook.load(webhook.id) : null;
  }

  @FieldResolver(() => Int, {
    description:
      'Number of held deliveries: they wait until the webhook is enabled, or until they are released. Counted up to 1,000, which means 1,000 or more.',
  })
  async heldCount(@Root() webhook: Webhook, @Ctx() context: Context): Promise<number> {
    return (await context.loaders.heldCountByWebhook.load(webhook.id)) ?? 0;
  }
}

/**
 * @param path of the id in the arguments
 * @throws ApiError not_found, the same for a foreign, unknown and deleted webhook, and for a text that is not an id;
 *   invalid_input for the id of another type
 */
export async function readWebhook(context: Context, id: string, path: Path): Promise<Webhook> {
  requireTenant(context);
  const number = idOf('Webhook', id, path);
  return found(await context.loaders.webhookById.load(number), 'webhook', number);
}

const resolver = new WebhookResolver() as unknown as Record<string, (webhook: Webhook, context: Context) => unknown>;

/** The value that readers get of a field of `webhookFields`. */
export const readField = async (webhook: Webhook, name: string, context: Context): Promise<unknown> =>
  resolver[name]!(webhook, context);

async function conditionsOf(context: Context, filter: WebhookFilter | null) {
  const eventType = await knownTypeIn(context, filter?.eventType);
  const search = parseInput(searchText, filter?.search, ['filter', 'search']);
  const conditions: FilterQuery<Webhook>[] = [];
  if (typeof search === 'string') {
    const text = containing(search);
    const named = { $or: [{ name: text }, { description: text }, { externalId: text }] };
    conditions.push({ $or: [{ url: text }, await withOptions(context, named)] });
  }
  const externalId = parseInput(externalIdRule.nullish(), filter?.externalId, ['filter', 'externalId']);
  if (typeof externalId === 'string') {
    conditions.push(await withOptions(context, { externalId }));
  }
  if (filter?.metadata) {
    const { key, value } = filter.metadata;
    conditions.push(await withOptions(context, { metadata: { $contains: { [key]: value } } }));
  }
  return {
    $and: conditions,
    ...(typeof filter?.active === 'boolean' ? { active: filter.active } : {}),
    ...(eventType === undefined ? {} : { eventTypes: { $overlap: [eventType, WILDCARD] } }),
  };
}

async function numberOf({ em }: Context, externalId: string): Promise<number | null> {
  const row = await em.findOne(WebhookOptions, { externalId }, { ...FRESH, fields: ['webhookId'] });
  return row?.webhookId ?? null;
}

/** The condition that the options row of a webhook is one of these. */
async function withOptions({ em }: Context, where: FilterQuery<WebhookOptions>) {
  const rows = await em.find(WebhookOptions, where, { ...FRESH, fields: ['webhookId'] });
  return { id: { $in: rows.map(({ webhookId }) => webhookId) } };
}
