import { HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import { refusalOf } from '../fields/errors.js';
import { ANSWER_TYPES, type AnswerType, answerTypeFor } from './answer-type.js';
import type { GraphqlLimits } from './document-limits.js';
import type { KnownOperation } from './operation.js';

/** Longer than the name of any operation; it would be repeated in a message. */
const OPERATION_NAME_CHARS_MAX = 256;

/** By one of them Apollo knows that no other site has made a browser send the request. */
const PREFLIGHT_HEADERS = ['content-type', 'x-apollo-operation-name', 'apollo-require-preflight'] as const;

/** Apollo would go through it several times for each request; the type of an answer is chosen before. */
const NO_ACCEPT = ['accept', ''] as const;

/** The body of a POST was read as JSON, so a browser has asked before it sent it. Made once: Apollo changes nothing. */
const postHeaders = new HeaderMap([NO_ACCEPT, ['apollo-require-preflight', 'its body is application/json']]);

interface HttpRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed from JSON. */
  body?: unknown;
}

/**
 * A request as Apollo takes it. Apollo hands it on as it is, in `request.http` of what plugins get, so it is also where
 * plugins keep what they know of a request.
 */
export class GraphqlRequest implements HTTPGraphQLRequest {
  readonly method: string;
  readonly search: string;
  readonly headers: HeaderMap;
  /** Parsed from JSON. */
  body: unknown;
  /** Null: the client accepts none of them. */
  readonly answerType: AnswerType | null;
  /** Null until the request may run. */
  operation: KnownOperation | null = null;
  /** Whether it was counted against the limits of its key, or refused for them. */
  isCounted = false;

  /** @param isStream whether it asks for the updates of a subscription */
  constructor(
    { method, url, headers, body }: HttpRequest,
    readonly isStream = false,
  ) {
    const isPost = method === 'POST';
    this.method = method;
    this.search = isPost ? '' : url.slice(url.split('?', 1)[0]!.length);
    this.headers = isPost ? postHeaders : preflightHeaders(headers);
    this.body = body;
    this.answerType = isStream ? 'application/json' : answerTypeFor(headers['accept'] as string | undefined);
  }
}

function preflightHeaders(headers: HttpRequest['headers']): HeaderMap {
  const map = new HeaderMap([NO_ACCEPT]);
  for (const name of PREFLIGHT_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') {
      map.set(name, value);
    }
  }
  return map;
}

/**
 * What must be known before Apollo reads a request: it hashes and parses a document of any length, and looks at the
 * accepted types when a mutation has taken effect.
 *
 * @returns why the request is refused: GRAPHQL_PARSE_FAILED, BAD_REQUEST; null when it is not
 */
export function unreadable(
  { method, search, body, answerType }: GraphqlRequest,
  { documentCharsMax }: GraphqlLimits,
): GraphQLError | null {
  if (answerType === null) {
    const detail = `The answer is ${ANSWER_TYPES.join(' or ')}; accept one of them.`;
    return refusalOf('BAD_REQUEST', detail, { status: 406 });
  }
  const sent = method === 'POST' ? body : Object.fromEntries(new URLSearchParams(search));
  const { query, operationName } = (sent ?? {}) as Record<string, unknown>;
  if (typeof query === 'string' && query.length > documentCharsMax) {
    const detail = `The document has ${query.length} characters; at most ${documentCharsMax} are allowed. Send long values as variables.`;
    return refusalOf('GRAPHQL_PARSE_FAILED', detail);
  }
  return typeof operationName === 'string' && operationName.length > OPERATION_NAME_CHARS_MAX
    ? refusalOf('BAD_REQUEST', 'The operation name is too long to be the name of an operation.')
    : null;
}
