import {
  type ASTNode,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  isEnumType,
} from 'graphql';
import { toApiError } from '../../context/faults.js';
import { withGlobalIds } from '../../domain/ids/global-id.js';
import { ApiError, headersOf } from '../../errors.js';

/** The codes of errors that the catalogue does not know: they are about the request's form, or its document. */
const documentErrorCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'PERSISTED_QUERY_NOT_FOUND',
]);

/** What was thrown by us, or by a library of ours, behind the error that GraphQL made of it. */
export function causeOf(error: unknown): unknown {
  let cause = error;
  while (cause instanceof GraphQLError && cause.originalError !== undefined) {
    cause = cause.originalError;
  }
  return cause;
}

/** The members of an error's `extensions`. */
export function extensionsOf(error: ApiError): Record<string, unknown> {
  const { issues, retryAfterSeconds } = error.extra;
  return {
    code: error.code,
    reason: error.reason,
    ...(issues === undefined ? {} : { errors: issues }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** What it says, with global ids: other interfaces show numbers. What breaks a rule is named by its place. */
const messageOf = ({ reason, detail }: ApiError): string =>
  reason === 'invalid_input' ? detail : withGlobalIds(detail);

/**
 * The answer's form of an error: what the catalogue says of it, and nothing else of what was thrown.
 *
 * @param schema whose values of enums may be told; null: none
 */
export function formatError(error: GraphQLError, schema: GraphQLSchema | null = null): GraphQLFormattedError {
  const { message, locations, path } = error;
  const { http, ...told } = error.extensions as { http?: Head; code?: string; reason?: string };
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (told.reason !== undefined) {
    return { message, ...place, extensions: told }; // made by graphqlErrorOf
  }
  const cause = causeOf(error);
  // What Apollo says of persisted queries that are wrong has a status alone.
  const code = told.code ?? (http?.status === 400 ? 'BAD_REQUEST' : '');
  if (!(cause instanceof ApiError) && documentErrorCodes.has(code)) {
    const sentence = withoutValue(message);
    return { message: schema === null ? sentence : withEnumValues(sentence, schema), ...place, extensions: { code } };
  }
  const known = toApiError(cause);
  return { message: messageOf(known), ...place, extensions: extensionsOf(known) };
}

/** The status of a GraphQL request that is refused as a whole: 200 unless it stands here. */
export const refusalStatuses: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/** The status and headers of a request that is refused as a whole: no root field has an answer, all for one reason. */
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

/** What an error says of the whole answer, in `extensions.http`; the client does not get it. */
interface Head {
  status: number;
}

/**
 * An error thrown outside resolvers, with the status that the answer shall have.
 *
 * @param node the place in the document that it is about
 * @param status unless its code has one of its own
 */
export function graphqlErrorOf(error: ApiError, node?: ASTNode, status = 200): GraphQLError {
  const http: Head = { status: refusalStatuses[error.code] ?? status };
  return new GraphQLError(messageOf(error), { extensions: { ...extensionsOf(error), http }, nodes: node ?? null });
}

/** A request that is refused for its form. Its code is one of GraphQL's own, which no REST answer has. */
export function refusalOf(code: string, detail: string, http: Head = { status: 400 }): GraphQLError {
  return new GraphQLError(detail, { extensions: { code, http } });
}

const WORD_SHOWN_CHARS_MAX = 100;

/**
 * A message of GraphQL's without the values in it: built-in scalars and enums end or begin their messages with the
 * value that they refuse, and names of any length are repeated whole.
 */
export function withoutValue(message: string): string {
  return (
    message
      .replace(/ value: .*$/s, ' value.')
      .replace(/(Expected value of type "[^"]*"), found .*$/s, '$1.')
      .replace(/((?:found|Unexpected) (?:Block)?String) ".*$/s, '$1.')
      // From the beginning alone: of a value with many such beginnings, each would be followed to its end.
      .replace(/^Value ".*" does not exist in/s, 'The value does not exist in')
      .replaceAll(/[^\s"]{101,}/g, (word) => `${word.slice(0, WORD_SHOWN_CHARS_MAX)}…`)
  );
}

/** A message of GraphQL's that refuses the value of an enum, with those that there are; any other as it is. */
export function withEnumValues(message: string, schema: GraphQLSchema): string {
  const [, ...names] = /does not exist in "(\w+)" enum|^Enum "(\w+)" cannot/.exec(message) ?? [];
  const type = schema.getType(names.find((name) => name !== undefined) ?? '');
  if (!isEnumType(type)) {
    return message;
  }
  const values = type.getValues().map(({ name }) => name);
  return `The value does not exist in "${type.name}" enum, which has ${values.join(', ')}.`;
}
