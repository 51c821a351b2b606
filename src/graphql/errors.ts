import { unwrapResolverError } from '@apollo/server/errors';
import {
  type ASTNode,
  coerceInputValue,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  isInputType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { ApiError, type InputIssue, invalidInput, toApiError } from '../errors.js';

/** What GraphQL's and Apollo's own errors look like: a message about the document, and a code of its own. */
const documentErrorCodes = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
]);

/** What was thrown by us, or by a library of ours, behind the error that GraphQL made of it. */
export function causeOf(error: unknown): unknown {
  const unwrapped = unwrapResolverError(error);
  return unwrapped instanceof GraphQLError && unwrapped.originalError ? unwrapped.originalError : unwrapped;
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

/** The answer's form of an error: what the catalogue says of it, and nothing else of what was thrown. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = causeOf(error);
  const { locations, path } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  const { code, reason } = formatted.extensions ?? {};
  if (reason !== undefined) {
    return { message: formatted.message, ...place, extensions: formatted.extensions! }; // made by graphqlErrorOf
  }
  if (!(cause instanceof ApiError) && documentErrorCodes.has(String(code))) {
    return { message: withoutValue(formatted.message), ...place, extensions: { code } };
  }
  const known = toApiError(cause);
  return { message: known.detail, ...place, extensions: extensionsOf(known) };
}

/** The headers that go with a status when a whole request is refused. */
export function headersOf(error: { code: unknown; retryAfterSeconds?: unknown }): Map<string, string> {
  const headers = new Map<string, string>();
  if (error.code === 'UNAUTHENTICATED') {
    headers.set('www-authenticate', 'Bearer');
  }
  if (typeof error.retryAfterSeconds === 'number') {
    headers.set('retry-after', String(error.retryAfterSeconds));
  }
  return headers;
}

/** The status of a GraphQL request that is refused as a whole: 200 unless it stands here. */
export const refusalStatuses: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
};

/**
 * An error thrown outside resolvers, with the status that Apollo shall give it.
 *
 * @param node the place in the document that it is about
 */
export function graphqlErrorOf(error: ApiError, node?: ASTNode): GraphQLError {
  const told = extensionsOf(error);
  const headers = headersOf(told as { code: unknown });
  // Apollo wants a Map of headers; other libraries declare `http` of these extensions otherwise.
  const extensions: Record<string, unknown> = {
    ...told,
    http: { status: refusalStatuses[error.code] ?? 200, headers },
  };
  return new GraphQLError(error.detail, { extensions, nodes: node ?? null });
}

/**
 * What is wrong with a request's variables, without repeating their values, as GraphQL's own messages do: they end up
 * in logs. Null when nothing is.
 */
export function variableError(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): ApiError | null {
  const issues: InputIssue[] = [];
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as never);
    if (!isInputType(type) || (!(name in variables) && defaultValue !== undefined)) {
      continue;
    }
    if (variables[name] === undefined) {
      if (typeNode.kind === 'NonNullType') {
        issues.push({ path: [name], code: 'required', detail: 'is required' });
      }
      continue;
    }
    coerceInputValue(variables[name], type, (path, _value, error) => {
      issues.push({ path: [name, ...path], code: 'invalid_type', detail: withoutValue(error.message) });
    });
  }
  return issues.length > 0 ? invalidInput(issues) : null;
}

/** Built-in scalars and enums end or begin their messages with the value that they refuse. */
function withoutValue(message: string): string {
  return message
    .replace(/ value: .*$/s, ' value.')
    .replace(/Value ".*" does not exist in/s, 'The value does not exist in');
}
