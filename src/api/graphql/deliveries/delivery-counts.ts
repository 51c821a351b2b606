import 'reflect-metadata';
import { Ctx, Field, Int, ObjectType, Resolver } from 'type-graphql';
import { invalidInput } from '../../../errors.js';
import { countDeliveries, DELIVERIES_COUNTED_MAX } from '../../../operations/explorer/count-deliveries.js';
import type { DeliveryConditions } from '../../../operations/explorer/page-deliveries.js';
import { type Context, tenantOf } from '../../context/context.js';
import { FilterArg } from '../fields/arguments.js';
import { NullableQuery } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { boundsOf } from './delivery.js';
import { conditionsOf } from './delivery-conditions.js';
import { DeliveryFilter } from './delivery-filter.js';

const COUNT_COST = 5;
const count = { nullable: true, complexity: COUNT_COST };

@ObjectType({
  description: `Numbers of deliveries that meet a filter, by views of the list. ${DELIVERIES_COUNTED_MAX} means that many or more. Null when counting takes too long (50 ms, tried twice).`,
})
class DeliveryCounts {
  constructor(
    /** Null: no delivery can meet it. */
    private readonly conditions: DeliveryConditions | null,
    private readonly range: { above: number; below: number },
  ) {}

  @Field(() => Int, { ...count, description: 'All of them.' })
  all(@Ctx() context: Context): Promise<number | null> {
    return this.#count(context, {});
  }

  @Field(() => Int, { ...count, description: 'Deliveries that the filter `retrying: true` lists.' })
  retrying(@Ctx() context: Context): Promise<number | null> {
    return this.#count(context, { retrying: true });
  }

  @Field(() => Int, { ...count, description: 'Deliveries that the filter `status: FAILED` lists.' })
  failed(@Ctx() context: Context): Promise<number | null> {
    return this.#count(context, { status: 'FAILED' });
  }

  @Field(() => Int, { ...count, description: 'Deliveries that the filter `status: HELD` lists.' })
  held(@Ctx() context: Context): Promise<number | null> {
    return this.#count(context, { status: 'HELD' });
  }

  @Field(() => Int, { ...count, description: 'Deliveries that the filter `status: SUCCEEDED` lists.' })
  delivered(@Ctx() context: Context): Promise<number | null> {
    return this.#count(context, { status: 'SUCCEEDED' });
  }

  @Field(() => Int, {
    ...count,
    description:
      'Deliveries that the filter `lastAttemptFailed: true` lists: failed, held or canceled after a failure, or waiting for a retry.',
  })
  lastAttemptFailed(@Ctx() context: Context): Promise<number | null> {
    return this.#count(context, { lastAttemptFailed: true });
  }

  async #count(context: Context, view: DeliveryConditions): Promise<number | null> {
    return this.conditions === null
      ? 0
      : countDeliveries(context, tenantOf(context), { ...this.conditions, ...view }, this.range);
  }
}

/** The fields of the filter that a view decides. */
const OF_VIEWS = ['status', 'retrying', 'lastAttemptFailed'] as const;

@Resolver()
export class DeliveryCountsResolver {
  @Requires('deliveries:read')
  @NullableQuery(
    () => DeliveryCounts,
    'Numbers of deliveries for the views of a list, over its other conditions: the filter must not have `status`, `retrying` or `lastAttemptFailed`.',
  )
  async deliveryCounts(
    @FilterArg(() => DeliveryFilter) filter: DeliveryFilter | null,
    @Ctx() context: Context,
  ): Promise<DeliveryCounts> {
    const issues = OF_VIEWS.filter((name) => filter?.[name]).map((name) => ({
      path: ['filter', name],
      code: 'contradiction',
      detail: 'has no meaning here: each count has its own',
    }));
    if (issues.length > 0) {
      throw invalidInput(issues);
    }
    const slice = { above: null, below: null, order: 'desc', limit: DELIVERIES_COUNTED_MAX } as const;
    const range = boundsOf(slice, filter);
    return new DeliveryCounts(await conditionsOf(context, filter), range);
  }
}
