import 'reflect-metadata';
import { Args, Ctx, Resolver, Root } from 'type-graphql';
import { totalFigures } from '../../../domain/stats/stats.js';
import { DAY_MS } from '../../../domain/text/durations.js';
import { Tenant } from '../../../entities/tenant.js';
import { requireNoIssues } from '../../../errors.js';
import { rankTenants } from '../../../operations/installation/top-tenants.js';
import { readTopWebhooks } from '../../../operations/installation/top-webhooks.js';
import { type Context, callerOf } from '../../context/context.js';
import { leastTenantSeen } from '../../context/installation.js';
import { sizeIssues } from '../fields/connection.js';
import { mayHold, STATS_COST } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';
import { HOURS_OF_DAY, LAST_DAY, lastDayOf } from '../stats/stats.js';
import { StatsBucket } from '../stats/stats-types.js';
import { Installation } from './installation.js';
import { TOP_MAX, type TopArgs, TopTenantsArgs, TopWebhook, TopWebhooksArgs } from './installation-types.js';
import { resolverOfAll } from './resolver-of-all.js';

const SINCE_MAX_MS = 7 * DAY_MS;

/** @throws ApiError invalid_input */
function topIn({ first = 10, since }: TopArgs, { clock }: Context): { first: number; since: Date } {
  const now = clock().getTime();
  const from = since ?? new Date(now - DAY_MS);
  const isOutside = now - from.getTime() > SINCE_MAX_MS || from.getTime() > now;
  requireNoIssues([
    ...sizeIssues('first', first, TOP_MAX),
    ...(isOutside ? [{ path: ['since'], code: 'out_of_range', detail: 'must lie within the last 7 days' }] : []),
  ]);
  return { first: first ?? 10, since: from };
}

/** The rankings of webhooks and tenants. */
@Resolver(() => Installation)
export class TopResolver {
  @mayHold(TOP_MAX)
  @NullableResolver(() => [TopWebhook], 'The top webhooks of all tenants, without the last minute or two.', {
    complexity: STATS_COST,
  })
  async topWebhooks(
    @Args(() => TopWebhooksArgs) { by, ...args }: TopWebhooksArgs,
    @Ctx() context: Context,
  ): Promise<Omit<TopWebhook, 'lastDay'>[]> {
    const leastTenant = leastTenantSeen(callerOf(context).scopes);
    const ranked = await readTopWebhooks(context, { by, ...topIn(args, context), leastTenant });
    return ranked.map(({ successes, failures, histogram, ...webhook }) => ({
      ...webhook,
      figures: totalFigures([{ startMs: 0, successes, failures, histogram }]),
    }));
  }

  @mayHold(TOP_MAX)
  @NullableResolver(() => [Tenant], 'The top tenants, without the last minute or two.', { complexity: STATS_COST })
  async topTenants(
    @Args(() => TopTenantsArgs) { by, ...args }: TopTenantsArgs,
    @Ctx() context: Context,
  ): Promise<Tenant[]> {
    const ids = await rankTenants(context, { by, ...topIn(args, context) });
    const tenants = await Promise.all(ids.map((id) => context.loaders.tenantById.load(id)));
    return tenants.filter((tenant) => tenant !== null);
  }
}

export const TopWebhookNamesResolver = resolverOfAll(TopWebhook);

@Resolver(() => TopWebhook)
export class TopWebhookResolver {
  @mayHold(HOURS_OF_DAY)
  @NullableResolver(() => [StatsBucket], LAST_DAY, { complexity: 1 })
  lastDay(@Root() { webhookId, tenantId }: TopWebhook, @Ctx() context: Context): Promise<StatsBucket[]> {
    const { statsByWebhookOfAll } = context.loaders;
    return lastDayOf(context, (question) => statsByWebhookOfAll.load({ webhookId, tenantId, ...question }));
  }
}
