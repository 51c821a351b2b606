import 'reflect-metadata';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { DEFAULT_METHOD, type DeliveryMethod } from '../../../domain/deliveries/delivery-method.js';
import { isWithoutToken } from '../../../domain/deliveries/outcome.js';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import { Attempt } from '../../../entities/attempt.js';
import { JSONObject } from '../../../entities/scalars.js';
import { eventErased, found } from '../../../errors.js';
import type { AttemptKey } from '../../../operations/explorer/read-bodies.js';
import type { Context } from '../../context/context.js';
import { HEADERS_COST, KEPT_ANSWER_COST, PAYLOAD_COST } from '../fields/costs.js';
import { shownType } from '../fields/field-types.js';
import { JsonText } from '../fields/json-text.js';
import { NullableResolver } from '../fields/nullable.js';
import { Requires } from '../fields/requires.js';

@Resolver(() => Attempt)
export class AttemptResolver {
  @FieldResolver(shownType(webhookFields.delivery.fields.method)[0], { description: 'The method of the request.' })
  method(@Root() attempt: Attempt): DeliveryMethod {
    return attempt.method ?? DEFAULT_METHOD;
  }

  @FieldResolver(() => JSONObject, {
    complexity: HEADERS_COST,
    description:
      'The request headers as they were sent. Empty when nothing was sent (`AUTH_FAILED`, `CONTENT_TOO_LARGE`).',
  })
  requestHeaders(@Root() attempt: Attempt): JsonText {
    return new JsonText(attempt.requestHeaders);
  }

  @Requires('events:read')
  @NullableResolver(
    () => String,
    'The exact body that was sent, the same in all attempts. Null when nothing was sent (`AUTH_FAILED`, `CONTENT_TOO_LARGE`), or when `redeliver` with `reshape` has replaced it since. An error (`event_erased`) when the event was erased. Costs 100, because it may be long. Needs `events:read`.',
    { complexity: PAYLOAD_COST },
  )
  async requestBody(
    @Root() { deliveryId, number, errorCode }: Attempt,
    @Ctx() context: Context,
  ): Promise<string | null> {
    // Not found: the retention time has just ended.
    const content = found(await context.loaders.contentByDelivery.load(deliveryId), 'delivery', deliveryId);
    if (content.erased) {
      throw eventErased(`the event of delivery ${deliveryId}`);
    }
    return number <= content.reshapedAfter || isWithoutToken(errorCode) ? null : (content.sent?.body ?? null);
  }

  @NullableResolver(
    () => JSONObject,
    'The headers of the answer. Null without an answer, or when the event was erased. The value of a repeated header is a list. Costs 10.',
    { complexity: KEPT_ANSWER_COST },
  )
  async responseHeaders(@Root() attempt: Attempt, @Ctx() { loaders }: Context): Promise<JsonText | null> {
    const headers = await loaders.answerHeadersByAttempt.load(keyOf(attempt));
    return headers === null ? null : new JsonText(headers);
  }

  @NullableResolver(
    () => String,
    'The body of the answer as UTF-8, with U+FFFD for every invalid byte. Null without an answer, or when the event was erased. Costs 10.',
    { complexity: KEPT_ANSWER_COST },
  )
  async responseBody(@Root() attempt: Attempt, @Ctx() context: Context): Promise<string | null> {
    return (await answerOf(attempt, context))?.toString('utf8') ?? null;
  }

  @NullableResolver(() => String, 'The exact bytes of the body of the answer in base64. Costs 10.', {
    complexity: KEPT_ANSWER_COST,
  })
  async responseBodyBase64(@Root() attempt: Attempt, @Ctx() context: Context): Promise<string | null> {
    return (await answerOf(attempt, context))?.toString('base64') ?? null;
  }
}

/** Without a token there was no answer: in its place stands why. */
const answerOf = (attempt: Attempt, { loaders }: Context): Promise<Buffer | null> =>
  isWithoutToken(attempt.errorCode) ? Promise.resolve(null) : loaders.answerBodyByAttempt.load(keyOf(attempt));

function keyOf({ deliveryId, number }: Attempt): AttemptKey {
  return `${deliveryId}/${number}`;
}
