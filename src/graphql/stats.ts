import 'reflect-metadata';
import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { type Context, parseId, tenantOf } from '../context.js';
import { judgeStatsRange, statsSeries } from '../domain/stats.js';
import { StatsResolution } from '../entities/delivery-stat.js';
import { Webhook } from '../entities/webhook.js';
import { invalidInput, notFound } from '../errors.js';
import { type Backlog, readTenantBacklog } from '../operations/read-backlog.js';
import { readStats } from '../operations/read-stats.js';
import { knownEventType, parseInput } from './input.js';
import { Requires } from './requires.js';
import { BacklogType, Stats, StatsArgs } from './stats-types.js';

@Resolver(() => Webhook)
export class StatsResolver {
  @Requires('deliveries:read')
  @Query(() => Stats, {
    description: 'How many attempts succeeded and failed, and how long they took. At most a second old.',
  })
  async stats(@Args(() => StatsArgs) args: StatsArgs, @Ctx() context: Context): Promise<Stats> {
    const { since, until = null, resolution: wanted = null } = args;
    const range = judgeStatsRange({ since, until, resolution: wanted }, context.clock());
    if (!range.allowed) {
      throw invalidInput([{ path: [range.field], code: range.code, detail: range.reason }]);
    }
    const of = {
      webhookId: await knownWebhook(context, args.webhookId ?? null),
      eventType: await knownType(context, args.eventType ?? null),
    };
    const counted = await readStats(context.db, tenantOf(context), of, range);
    const { resolution, ...span } = range;
    return { ...span, resolution: StatsResolution[resolution], ...statsSeries(range, counted) };
  }

  @Requires('deliveries:read')
  @Query(() => BacklogType, { description: "What the tenant's webhooks together still have to be sent." })
  backlog(@Ctx() context: Context): Promise<Backlog> {
    return readTenantBacklog(context.db, tenantOf(context));
  }

  @Requires('deliveries:read')
  @FieldResolver(() => BacklogType, { name: 'backlog', description: 'What it still has to be sent.' })
  webhookBacklog(@Root() webhook: Webhook, @Ctx() context: Context): Promise<Backlog> {
    return context.loaders.backlogByWebhook.load(webhook.id);
  }
}

/** Statistics outlive their webhook. @throws ApiError not_found for an unknown or foreign one */
async function knownWebhook(context: Context, id: string | null): Promise<number | null> {
  if (id === null) {
    return null;
  }
  const number = parseId(id);
  const isThere =
    number !== null &&
    (await context.em.findOne(Webhook, { id: number }, { filters: { alive: false }, fields: ['id'] })) !==
      null;
  if (!isThere) {
    throw notFound('webhook', number ?? 'with such an id');
  }
  return number;
}

async function knownType({ eventTypes }: Context, name: string | null): Promise<string | null> {
  return name === null ? null : parseInput(knownEventType(await eventTypes.names()), name, ['eventType']);
}
