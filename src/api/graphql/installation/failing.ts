import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, FieldResolver, Info, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { FAILING_COUNTED_MAX } from '../../../domain/deliveries/health-limits.js';
import { Tenant } from '../../../entities/tenant.js';
import { requireNoIssues } from '../../../errors.js';
import {
  countFailing,
  FAILING_RANKED,
  type FailingCounts,
  type FailingState,
  listFailingTenants,
  listFailingWebhooks,
} from '../../../operations/installation/failing-webhooks.js';
import { type Context, callerOf } from '../../context/context.js';
import { leastTenantSeen } from '../../context/installation.js';
import { sizeIssues } from '../fields/connection.js';
import { mayHold, STATS_COST } from '../fields/costs.js';
import { asksFor } from '../fields/selection.js';
import { FailingTenant, FailingWebhook } from './failing-types.js';
import { resolverOfAll } from './resolver-of-all.js';

const SHOWN_MAX = 50;
const SHOWN_DEFAULT = 10;

/** The argument of both lists. */
const First = (noun: string) =>
  Arg('first', () => Int, {
    nullable: true,
    description: `Number of ${noun}: 1 to ${SHOWN_MAX}, default ${SHOWN_DEFAULT}.`,
  });

const counted = (state: FailingState) =>
  `Number of webhooks that are ${state}. ${FAILING_COUNTED_MAX} means that many or more.`;

function sizeOf(first: number | null): number {
  requireNoIssues(sizeIssues('first', first, SHOWN_MAX));
  return first ?? SHOWN_DEFAULT;
}

@ObjectType({
  description:
    'The webhooks of all tenants that fail now. A pause that somebody made is not a failure, and neither is one that the endpoint asked for.',
})
export class FailingNow {
  #counts: Promise<FailingCounts> | undefined;

  /** Counted at its first use. */
  #count(context: Context): Promise<FailingCounts> {
    this.#counts ??= countFailing(context, leastTenantSeen(callerOf(context).scopes));
    return this.#counts;
  }

  @Field(() => Int, { nullable: true, description: counted('GONE') })
  async gone(@Ctx() context: Context): Promise<number> {
    return (await this.#count(context)).gone;
  }

  @Field(() => Int, { nullable: true, description: counted('DISABLED') })
  async disabled(@Ctx() context: Context): Promise<number> {
    return (await this.#count(context)).disabled;
  }

  @Field(() => Int, { nullable: true, description: counted('FAILING') })
  async failing(@Ctx() context: Context): Promise<number> {
    return (await this.#count(context)).failing;
  }

  @mayHold(SHOWN_MAX)
  @Field(() => [FailingWebhook], {
    nullable: true,
    complexity: STATS_COST,
    description: `The worst first: those that are disabled or gone before those that still fail, then those with the most held deliveries. At most ${FAILING_RANKED} are ranked.`,
  })
  webhooks(@First('webhooks') first: number | null, @Ctx() context: Context): Promise<FailingWebhook[]> {
    return listFailingWebhooks(context, sizeOf(first), leastTenantSeen(callerOf(context).scopes));
  }

  @mayHold(SHOWN_MAX)
  @Field(() => [FailingTenant], {
    nullable: true,
    complexity: STATS_COST,
    description: `The worst first: those with the most webhooks that are disabled or gone, then with the most that fail. Of each state, the ${FAILING_COUNTED_MAX} webhooks that came into it last count.`,
  })
  tenants(
    @First('tenants') first: number | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<FailingTenant[]> {
    return listFailingTenants(context, sizeOf(first), asksFor(info, 'held'));
  }
}

export const FailingWebhookResolver = resolverOfAll(FailingWebhook);

@Resolver(() => FailingTenant)
export class FailingTenantResolver {
  @FieldResolver(() => Tenant, { nullable: true, description: 'The tenant. Null when it was deleted.' })
  tenant(@Root() { tenantId }: FailingTenant, @Ctx() context: Context): Promise<Tenant | null> {
    return context.loaders.tenantById.load(tenantId);
  }
}
