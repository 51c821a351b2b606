import 'reflect-metadata';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../context.js';
import { Attempt } from '../entities/attempt.js';
import { notFound } from '../errors.js';
import { HEADERS_COST, KEPT_ANSWER_COST, PAYLOAD_COST } from './cost.js';
import { Requires } from './requires.js';
import { JSONObject } from './scalars.js';

type Headers = Record<string, unknown>;

@Resolver(() => Attempt)
export class AttemptResolver {
  @FieldResolver(() => JSONObject, {
    complexity: HEADERS_COST,
    description: 'The headers as they were sent.',
  })
  requestHeaders(@Root() attempt: Attempt): Headers {
    return JSON.parse(attempt.requestHeaders) as Headers;
  }

  @Requires('events:read')
  @FieldResolver(() => String, {
    complexity: PAYLOAD_COST,
    description:
      'The body as it was sent, letter by letter: the same in all attempts. Its cost is 100, since it may be long.',
  })
  async requestBody(@Root() { deliveryId }: Attempt, @Ctx() context: Context): Promise<string> {
    const body = await context.loaders.bodyByDelivery.load(deliveryId);
    if (body === null) {
      throw notFound('delivery', deliveryId); // its retention ended just now
    }
    return body;
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    complexity: KEPT_ANSWER_COST,
    description:
      'The headers of the answer; null when there was none. A header that came twice is a list. Its cost is 10.',
  })
  responseHeaders(@Root() attempt: Attempt): Headers | null {
    return attempt.responseHeaders === null ? null : (JSON.parse(attempt.responseHeaders) as Headers);
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: KEPT_ANSWER_COST,
    description:
      'The body of the answer as UTF-8, with U+FFFD for every invalid byte; null when there was no answer. Its cost is 10.',
  })
  responseBody(@Root() attempt: Attempt): string | null {
    return attempt.responseBody?.toString('utf8') ?? null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    complexity: KEPT_ANSWER_COST,
    description: 'The exact bytes of the body of the answer, in base64. Its cost is 10.',
  })
  responseBodyBase64(@Root() attempt: Attempt): string | null {
    return attempt.responseBody?.toString('base64') ?? null;
  }
}
