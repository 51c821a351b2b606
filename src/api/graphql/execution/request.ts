import { HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import type { GraphQLError } from 'graphql';
import Negotiator from 'negotiator';
import { BoundedMap } from '../../../domain/collections/bounded-map.js';
import type { Moment } from '../../../platform/database/moment.js';
import type { Verdict } from '../../context/rate-limits.js';
import { refusalOf } from '../fields/errors.js';
import type { Reading } from './cost.js';
import type { GraphqlLimits } from './document-limits.js';
import type { KnownOperation } from './operation.js';

/** The first is the default. */
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json'] as const;
type AnswerType = (typeof ANSWER_TYPES)[number];

/** The charset is part of the type, so that a client which accepts only another one is refused. */
const offered = ANSWER_TYPES.map((type) => `${type}; charset=utf-8`);
const typesByAccept = new BoundedMap<string, AnswerType | null>(100);

/** Chooses the type of an answer by the header `Accept` (RFC 9110 §12.5.1). Null when the client accepts neither. */
function answerTypeFor(accept: string | undefined): AnswerType | null {
  if (accept === undefined) {
    return ANSWER_TYPES[0];
  }
  let type = typesByAccept.get(accept);
  if (type === undefined) {
    const chosen = new Negotiator({ headers: { accept } }).mediaType(offered);
    type = ANSWER_TYPES[offered.indexOf(chosen ?? '')] ?? null;
    typesByAccept.set(accept, type);
  }
  return type;
}

/** Longer than the name of any operation. Apollo would repeat it in a message. */
const OPERATION_NAME_CHARS_MAX = 256;

/** The type of the answer is chosen before Apollo, which would parse `Accept` several times for each request. */
const NO_ACCEPT: [string, string] = ['accept', ''];
const BEARER_PROOF: [string, string] = ['apollo-require-preflight', 'it has Authorization: Bearer'];

/** All POSTs share these headers. Their body was read as JSON, so a browser has sent a preflight request. */
const postHeaders = new HeaderMap([NO_ACCEPT, ['apollo-require-preflight', 'its body is application/json']]);

interface HttpRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: unknown;
}

/** Whether an operation may run, and what it reads. */
export type Admission = Verdict & Pick<Reading, 'readsOfRows'>;

/** A request in Apollo's form. Plugins find it in `request.http`, and keep their findings in it. */
export class GraphqlRequest implements HTTPGraphQLRequest {
  readonly method: string;
  readonly search: string;
  readonly headers: HeaderMap;
  body: unknown;
  /** Null when the client accepts no type that is offered. */
  readonly answerType: AnswerType | null;
  /** Null until the request may run. */
  operation: KnownOperation | null = null;
  /** How a prepared emit was judged that Apollo answers (prepared-emits.ts). */
  admission: Admission | null = null;
  /** The moment of its reads. Null where one statement reads everything, and for mutations. */
  moment: Moment | null = null;
  /** Whether the limits of the key were applied to the request. */
  isCounted = false;

  /** @param isStream whether it asks for the updates of a subscription */
  constructor(
    { method, url, headers, body }: HttpRequest,
    readonly isStream = false,
  ) {
    const isPost = method === 'POST';
    this.method = method;
    this.search = isPost ? '' : url.slice(url.split('?', 1)[0]!.length);
    this.headers = isPost ? postHeaders : headersOfGet(headers);
    this.body = body;
    this.answerType = isStream ? 'application/json' : answerTypeFor(headers['accept'] as string | undefined);
  }
}

/**
 * Apollo wants a proof that no page of another origin has sent a GET, such as a header that needs a preflight request.
 * Bearer is one: a page has to set it itself. Basic is none: browsers add it by themselves.
 */
function headersOfGet(headers: HttpRequest['headers']): HeaderMap {
  const own = Object.entries(headers).filter(isSingle);
  const isBearer = /^Bearer +\S/i.test(String(headers['authorization'] ?? ''));
  return new HeaderMap([...own, NO_ACCEPT, ...(isBearer ? [BEARER_PROOF] : [])]);
}

const isSingle = (header: [string, unknown]): header is [string, string] => typeof header[1] === 'string';

/**
 * Checks a request before Apollo reads it: Apollo hashes and parses documents of any length, and checks the accepted
 * types only after a mutation has run.
 *
 * @returns GRAPHQL_PARSE_FAILED or BAD_REQUEST; null for a good request
 */
export function unreadable(
  { method, search, body, answerType }: GraphqlRequest,
  { documentCharsMax }: GraphqlLimits,
): GraphQLError | null {
  if (answerType === null) {
    return refusalOf('BAD_REQUEST', `The answer is ${ANSWER_TYPES.join(' or ')}; accept one of them.`, 406);
  }
  const sent = method === 'POST' ? body : Object.fromEntries(new URLSearchParams(search));
  const { query, operationName } = (sent ?? {}) as Record<string, unknown>;
  if (typeof query === 'string' && query.length > documentCharsMax) {
    const detail = `The document has ${query.length} characters; at most ${documentCharsMax} are allowed. Send long values as variables.`;
    return refusalOf('GRAPHQL_PARSE_FAILED', detail);
  }
  return typeof operationName === 'string' && operationName.length > OPERATION_NAME_CHARS_MAX
    ? refusalOf('BAD_REQUEST', 'The operation name is too long.')
    : null;
}
