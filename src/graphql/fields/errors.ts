import {
  type ASTNode,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  isEnumType,
} from 'graphql';
import { withGlobalIds } from '../../domain/global-id.js';
import { ApiError, toApiError } from '../../errors.js';

/** The codes of errors that the catalogue does not know: they are about the request's form, or its document. */
const documentErrorCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'PERSISTED_QUERY_NOT_SUPPORTED',
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

/** The answer's form of an error: what the catalogue says of it, and nothing else of what was thrown. */
export function formatError(error: GraphQLError): GraphQLFormattedError {
  const { message, locations, path } = error;
  const { http: _http, ...told } = error.extensions;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (told['reason'] !== undefined) {
    return { message, ...place, extensions: told }; // made by graphqlErrorOf
  }
  const cause = causeOf(error);
  const code = String(told['code']);
  if (!(cause instanceof ApiError) && documentErrorCodes.has(code)) {
    return { message: withoutValue(message), ...place, extensions: { code } };
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

/** What an error says of the whole answer, in `extensions.http`; the client does not get it. */
export interface Head {
  status: number;
  headers?: Readonly<Record<string, string>>;
}

export function headOf({ extensions }: GraphQLError): Head | undefined {
  return extensions['http'] as Head | undefined;
}

/**
 * An error thrown outside resolvers, with the status that the answer shall have.
 *
 * @param node the place in the document that it is about
 * @param status unless its code has one of its own
 */
export function graphqlErrorOf(error: ApiError, node?: ASTNode, status = 200): GraphQLError {
  const http: Head = { status: refusalStatuses[error.code] ?? status };
  return new GraphQLError(messageOf(error), {
    extensions: { ...extensionsOf(error), http },
    nodes: node ?? null,
  });
}

/** A request that is refused for its form. Its code is one of GraphQL's own, which no REST answer has. */
export function refusalOf(code: string, detail: string, http: Head = { status: 400 }): GraphQLError {
  return new GraphQLError(detail, { extensions: { code, http } });
}

/** An error of GraphQL's own, which has its place in the document, as a refusal. */
export function refusalFrom(error: GraphQLError, code: string, message = error.message): GraphQLError {
  const { nodes, source, positions, path, originalError } = error;
  const extensions = { code, http: { status: 400 } };
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    originalError: originalError ?? null,
    extensions,
  });
}

/** What was thrown while a request was judged, as errors of GraphQL. */
export function errorsOf(error: unknown): readonly GraphQLError[] {
  if (error instanceof BrokenDocument) {
    return error.errors;
  }
  return [error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error })];
}

/** A document that cannot run, with all that is wrong with it. */
export class BrokenDocument extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super('The document is broken.');
  }
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
