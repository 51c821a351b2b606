import 'reflect-metadata';
import { FieldResolver, Resolver, Root } from 'type-graphql';
import { Attempt } from '../entities/attempt.js';
import { JSONObject } from './scalars.js';

type Headers = Record<string, unknown>;

@Resolver(() => Attempt)
export class AttemptResolver {
  @FieldResolver(() => JSONObject, { description: 'The headers as they were sent.' })
  requestHeaders(@Root() attempt: Attempt): Headers {
    return JSON.parse(attempt.requestHeaders) as Headers;
  }

  @FieldResolver(() => JSONObject, {
    nullable: true,
    description: 'The headers of the answer; null when there was none. A header that came twice is a list.',
  })
  responseHeaders(@Root() attempt: Attempt): Headers | null {
    return attempt.responseHeaders === null ? null : (JSON.parse(attempt.responseHeaders) as Headers);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'The body of the answer as UTF-8, with U+FFFD for every invalid byte; null when there was no answer.',
  })
  responseBody(@Root() attempt: Attempt): string | null {
    return attempt.responseBody?.toString('utf8') ?? null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'The exact bytes of the body of the answer, in base64.',
  })
  responseBodyBase64(@Root() attempt: Attempt): string | null {
    return attempt.responseBody?.toString('base64') ?? null;
  }
}
