import type { GraphQLError } from 'graphql';
import type { Request as HttpRequest, RequestParams } from 'graphql-http';
import type { Context } from '../../context.js';
import { refusalOf } from '../fields/errors.js';
import type { AnswerType } from './answer-type.js';
import type { GraphqlLimits } from './document-limits.js';

/** A request to /graphql: `body` is the parsed JSON, `raw` the type of the answer, `context` has the caller. */
export type GraphqlRequest = HttpRequest<AnswerType, Context>;

/** Longer than the name of any operation; it would be repeated in a message. */
const OPERATION_NAME_CHARS_MAX = 256;

/**
 * Reads a GraphQL request from a body as it was parsed from JSON.
 *
 * @returns the body itself; `query` may still be missing
 * @throws GraphQLError BAD_REQUEST; GRAPHQL_PARSE_FAILED for a document that is too long to be parsed
 */
export function readBody(body: unknown, limits: GraphqlLimits): RequestParams {
  if (Array.isArray(body)) {
    throw refusalOf('BAD_REQUEST', 'A request has one operation; send several as requests of their own.');
  }
  return requireForm(isObject(body) ? body : null, limits, 'body');
}

/**
 * Reads a GraphQL request from the query of a URL.
 *
 * @throws GraphQLError as readBody
 */
export function readUrl(url: string, limits: GraphqlLimits): RequestParams {
  const [path = ''] = url.split('?', 1);
  const parameters = new URLSearchParams(url.slice(path.length));
  const params = {
    query: textIn(parameters, 'query'),
    operationName: textIn(parameters, 'operationName'),
    variables: jsonIn(parameters, 'variables'),
    extensions: jsonIn(parameters, 'extensions'),
  };
  return requireForm(params, limits, 'URL');
}

function textIn(parameters: URLSearchParams, name: string): string | undefined {
  const [text, another] = parameters.getAll(name);
  if (another !== undefined) {
    throw refusalOf('BAD_REQUEST', `The URL has the parameter ${name} more than once.`);
  }
  return text;
}

function jsonIn(parameters: URLSearchParams, name: string): unknown {
  const text = textIn(parameters, name);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw refusalOf('BAD_REQUEST', `The parameter ${name} of the URL is not JSON.`);
  }
}

const noParams: Record<string, unknown> = {};

/** Also for what should have a query and has none. */
export function missingQuery(where: string): GraphQLError {
  return refusalOf(
    'BAD_REQUEST',
    `The ${where} must have the text \`query\`; it may have the object \`variables\` and the text \`operationName\`.`,
  );
}

function requireForm(
  params: Record<string, unknown> | null,
  { documentCharsMax }: GraphqlLimits,
  where: string,
): RequestParams {
  const { query, operationName, variables, extensions } = params ?? noParams;
  if (typeof query === 'string' && query.length > documentCharsMax) {
    const detail = `The document has ${query.length} characters; at most ${documentCharsMax} are allowed. Send long values as variables.`;
    throw refusalOf('GRAPHQL_PARSE_FAILED', detail);
  }
  if (typeof operationName === 'string' && operationName.length > OPERATION_NAME_CHARS_MAX) {
    throw refusalOf('BAD_REQUEST', 'The operation name is too long to be the name of an operation.');
  }
  const isGood =
    params !== null &&
    (typeof query === 'string' || query === undefined || query === null) &&
    (typeof operationName === 'string' || operationName === undefined || operationName === null) &&
    (variables === undefined || variables === null || isObject(variables)) &&
    (extensions === undefined || extensions === null || isObject(extensions));
  if (!isGood) {
    throw missingQuery(where);
  }
  return params as unknown as RequestParams;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
