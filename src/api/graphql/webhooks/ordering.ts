import 'reflect-metadata';
import { Arg, Ctx, Int, Mutation, Resolver, Root } from 'type-graphql';
import { Delivery } from '../../../entities/delivery.js';
import { Webhook } from '../../../entities/webhook.js';
import { requireNoIssues } from '../../../errors.js';
import { unblockKey } from '../../../operations/deliveries/unblock-key.js';
import { readOrderingKeys } from '../../../operations/ordering/read-keys.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { InputArg } from '../fields/arguments.js';
import { sizeIssues } from '../fields/connection.js';
import { mayHold } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';
import { OrderingKeyType, UnblockKeyInput, UnblockKeyPayload } from './ordering-types.js';
import { readWebhook } from './webhook.js';

const KEYS_SHOWN_MAX = 100;
const KEYS_DEFAULT = 10;
/** It reads up to 100,000 rows. */
const KEYS_COST = 20;

@Resolver(() => Webhook)
export class OrderingResolver {
  @Requires('deliveries:read')
  @mayHold(KEYS_SHOWN_MAX)
  @NullableResolver(
    () => [OrderingKeyType],
    'Ordering keys that have open deliveries: first those that are blocked, then those with the most that wait.',
    { complexity: KEYS_COST },
  )
  async orderingKeys(
    @Root() { id, tenantId }: Webhook,
    @Arg('first', () => Int, {
      nullable: true,
      description: `Number of keys: 1 to ${KEYS_SHOWN_MAX}, default ${KEYS_DEFAULT}.`,
    })
    first: number | null,
    @Arg('blocked', () => Boolean, { nullable: true, description: 'True: only keys that are blocked.' })
    blocked: boolean | null,
    @Ctx() { db }: Context,
  ): Promise<OrderingKeyType[]> {
    requireNoIssues(sizeIssues('first', first, KEYS_SHOWN_MAX));
    const keys = await readOrderingKeys(db, tenantId, id, { first: first ?? KEYS_DEFAULT, blocked: blocked ?? false });
    return keys.map((row) => new OrderingKeyType(row));
  }

  @Requires('deliveries:resend')
  @Mutation(() => UnblockKeyPayload, {
    description: 'Goes on with an ordering key that is blocked, because one of its deliveries has failed.',
  })
  async unblockKey(
    @InputArg(() => UnblockKeyInput) { webhookId, key, action }: UnblockKeyInput,
    @Ctx() context: Context,
  ): Promise<UnblockKeyPayload> {
    const webhook = await readWebhook(context, webhookId, ['input', 'webhookId']);
    const blocked = { webhookId: webhook.id, key };
    await unblockKey(context.db, tenantOf(context), blocked, action, actorOf(context));
    return { webhook: await readWebhook(context, webhookId, ['input', 'webhookId']) };
  }
}

@Resolver(() => OrderingKeyType)
export class OrderingKeyResolver {
  @NullableResolver(() => Delivery, 'The first delivery, for which the others wait. Null when it has just ended.')
  head(@Root() { row }: OrderingKeyType, @Ctx() { loaders }: Context): Promise<Delivery | null> {
    return loaders.deliveryById.load(row.headId);
  }
}
