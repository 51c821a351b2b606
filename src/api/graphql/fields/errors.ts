import {
  type ASTNode,
  type FormattedExecutionResult,
  type GraphQLEnumType,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  isEnumType,
} from 'graphql';
import { withGlobalIds } from '../../../domain/ids/global-id.js';
import { oneOf } from '../../../domain/text/nearest-word.js';
import { ApiError, headersOf } from '../../../errors.js';
import { toApiError } from '../../context/faults.js';
import { hintAbout } from './hints.js';

/** Codes outside the catalogue of errors: they are about the form of a request or its document. */
const documentErrorCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'PERSISTED_QUERY_NOT_FOUND',
]);

export function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError !== undefined) {
    cause = cause.originalError;
  }
  return cause;
}

export function extensionsOf(error: ApiError): Record<string, unknown> {
  const { issues, retryAfterSeconds, cell } = error.extra;
  return {
    code: error.code,
    reason: error.reason,
    ...(issues === undefined ? {} : { errors: issues }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cell === undefined ? {} : { cell }),
  };
}

/** The message of an error with global ids instead of numbers. Messages about inputs name paths, not objects. */
const messageOf = ({ reason, detail }: ApiError): string =>
  reason === 'invalid_input' ? detail : withGlobalIds(detail);

/**
 * The form of an error in answers, with nothing but what the catalogue of errors says.
 *
 * @param schema whose enum values may be named; null: none may
 */
export function formatError(error: GraphQLError, schema: GraphQLSchema | null = null): GraphQLFormattedError {
  const { message, locations, path } = error;
  const { http, ...extensions } = error.extensions as { http?: { status: number }; code?: string; reason?: string };
  const position = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (extensions.reason !== undefined) {
    return { message, ...position, extensions }; // made by graphqlErrorOf
  }
  const cause = causeOf(error);
  // Apollo's errors about malformed persisted queries have only a status.
  const code = extensions.code ?? (http?.status === 400 ? 'BAD_REQUEST' : '');
  if (!(cause instanceof ApiError) && documentErrorCodes.has(code)) {
    const said = (schema && (enumRefusal(message, schema) ?? hintAbout(message, schema))) ?? withoutValue(message);
    return { message: said, ...position, extensions: { code } };
  }
  const known = toApiError(cause);
  return { message: messageOf(known), ...position, extensions: extensionsOf(known) };
}

/** The status of a GraphQL request that is refused as a whole. Default: 200. */
const refusalStatuses: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  PAYLOAD_TOO_LARGE: 413,
  MISDIRECTED: 421,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/** The status and headers of a request that is refused as a whole: no root field has data, all for the same reason. */
export function refusalHead({
  data,
  errors = [],
}: FormattedExecutionResult): { status: number; headers: Record<string, string> } | undefined {
  const extensions = errors[0]?.extensions ?? {};
  const code = String(extensions['code']);
  const status = refusalStatuses[code];
  const isWhole =
    Object.values(data ?? {}).every((value) => value === null) &&
    errors.every((error) => error.extensions?.['code'] === code);
  return status !== undefined && isWhole ? { status, headers: headersOf(extensions) } : undefined;
}

/** Makes an error outside of resolvers. @param status of the whole answer, unless the code has one of its own */
export function graphqlErrorOf(error: ApiError, node?: ASTNode, status = 200): GraphQLError {
  const http = { status: refusalStatuses[error.code] ?? status }; // clients do not get it
  return new GraphQLError(messageOf(error), { extensions: { ...extensionsOf(error), http }, nodes: node ?? null });
}

/** Refuses the form of a request, with one of GraphQL's codes, which REST does not have. */
export function refusalOf(code: string, detail: string, status = 400): GraphQLError {
  return new GraphQLError(detail, { extensions: { code, http: { status } } });
}

const WORD_SHOWN_CHARS_MAX = 100;

/** Removes the values that GraphQL's messages begin or end with, and shortens long names. */
export function withoutValue(message: string): string {
  return (
    message
      .replace(/ value: .*$/s, ' value.')
      .replace(/(Expected value of type "[^"]*"), found .*$/s, '$1.')
      .replace(/((?:found|Unexpected) (?:Block)?String) ".*$/s, '$1.')
      // Only at the beginning, because a value may contain many such beginnings.
      .replace(/^Value ".*" does not exist in/s, 'The value does not exist in')
      .replaceAll(/[^\s"]{101,}/g, (word) => `${word.slice(0, WORD_SHOWN_CHARS_MAX)}…`)
  );
}

const OTHER_VALUE = /^Value "(?<value>.*)" does not exist in "(?<name>\w+)" enum/s;
const NO_ENUM_VALUE = /^Enum "(?<name>\w+)" cannot represent non-\w+ value: (?<value>.*?)\.?(?: Did you mean .*)?$/s;

/** The message about a wrong enum value in a document, in place of GraphQL's. Null for all other messages. */
function enumRefusal(message: string, schema: GraphQLSchema): string | null {
  const { name = '', value = '' } = (OTHER_VALUE.exec(message) ?? NO_ENUM_VALUE.exec(message))?.groups ?? {};
  const type = schema.getType(name);
  if (!isEnumType(type)) {
    return null;
  }
  const quoted = /^"(.*)"$/s.exec(value)?.[1];
  const rule = enumRule(type, quoted ?? value);
  const hint = quoted === undefined ? '' : ' Enum values have no quotes.';
  return `A ${name} ${rule}${rule.endsWith('?') ? '' : '.'}${hint}`;
}

/** The values of an enum, as the end of a sentence. */
export const enumRule = (type: GraphQLEnumType, given: unknown): string =>
  oneOf(
    type.getValues().map(({ name }) => name),
    given,
  );
