import 'reflect-metadata';
import { Ctx, Field, ObjectType, Resolver, Root } from 'type-graphql';
import { isWithoutToken } from '../../../domain/deliveries/outcome.js';
import { tokenFailureDetail } from '../../../domain/oauth/token-failure.js';
import { Attempt } from '../../../entities/attempt.js';
import { DeliveryAuth } from '../../../entities/delivery-auth.js';
import type { Context } from '../../context/context.js';
import { KEPT_ANSWER_COST } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';

@ObjectType({ description: 'A request for a token that gave none.' })
class TokenFailure {
  @Field(() => Date, { description: 'When it was made.' })
  at!: Date;

  @Field(() => String, { description: 'The kind, for programs. There may be more in the future.' })
  code!: string;

  @Field(() => String, { description: 'A sentence for people.' })
  detail!: string;
}

@Resolver(() => DeliveryAuth)
export class TokenFailureResolver {
  @NullableResolver(
    () => TokenFailure,
    'The latest request for a token, if it gave none: then attempts fail with `AUTH_FAILED`. Null for other kinds.',
  )
  lastFailure(@Root() { kind, webhookId }: DeliveryAuth, @Ctx() { loaders }: Context): Promise<TokenFailure | null> {
    return kind === 'OAUTH2' && webhookId !== undefined
      ? loaders.tokenFailureByWebhook.load(webhookId)
      : Promise.resolve(null);
  }
}

@Resolver(() => Attempt)
export class AttemptTokenFailureResolver {
  @NullableResolver(
    () => TokenFailure,
    'Why there was no token for the request. `at` is `startedAt`. Null unless `errorCode` is `AUTH_FAILED`. Costs 10.',
    { complexity: KEPT_ANSWER_COST },
  )
  async tokenFailure(
    @Root() { deliveryId, number, errorCode, startedAt }: Attempt,
    @Ctx() { loaders }: Context,
  ): Promise<TokenFailure | null> {
    const kept = isWithoutToken(errorCode) ? await loaders.answerBodyByAttempt.load(`${deliveryId}/${number}`) : null;
    const code = kept?.toString();
    return code === undefined ? null : { at: startedAt, code, detail: tokenFailureDetail(code) };
  }
}
