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
  type VariableDefinitionNode,
} from 'graphql';
import { ApiError, type InputIssue, invalidInput, toApiError } from '../errors.js';

/** What GraphQL's and Apollo's own errors look like: a message about the document, and a code of its own. */
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
 * @param status unless its code has one of its own
 */
export function graphqlErrorOf(error: ApiError, node?: ASTNode, status = 200): GraphQLError {
  const told = extensionsOf(error);
  const headers = headersOf(told as { code: unknown });
  // Apollo wants a Map of headers; other libraries declare `http` of these extensions otherwise.
  const extensions: Record<string, unknown> = {
    ...told,
    http: { status: refusalStatuses[error.code] ?? status, headers },
  };
  return new GraphQLError(error.detail, { extensions, nodes: node ?? null });
}

/** A request that is refused for its form, with status 400. Its code is one of GraphQL's own, which no REST answer has. */
export function refusalOf(code: string, detail: string): GraphQLError {
  return new GraphQLError(detail, { extensions: { code, http: { status: 400 } } });
}

/** More than anybody reads; each costs its place and its sentence, and a list of variables may hold a million. */
const VARIABLE_ISSUES_MAX = 20;

/** Thrown to end the coercion of a list. Made once: an error takes longer to make than the variables of an emit to judge. */
const enough = new Error('enough issues');

/**
 * What is wrong with a request's variables, without repeating their values, as GraphQL's own messages do: they end up
 * in logs. Null when nothing is.
 *
 * @param suggests whether names of the schema that are like a misspelt one are told
 */
export function variableError(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  suggests: boolean,
): ApiError | null {
  const issues: InputIssue[] = [];
  const add = ({ path, code, detail }: InputIssue) => {
    issues.push({ path, code, detail: suggests ? detail : detail.replace(/ Did you mean .*$/s, '') });
    if (issues.length === VARIABLE_ISSUES_MAX) {
      throw enough;
    }
  };
  try {
    for (const definition of operation.variableDefinitions ?? []) {
      judgeVariable(schema, definition, variables, add);
    }
  } catch (error) {
    if (error !== enough) {
      throw error;
    }
  }
  return issues.length > 0 ? invalidInput(issues) : null;
}

function judgeVariable(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  add: (issue: InputIssue) => void,
): void {
  const name = variable.name.value;
  const type = typeFromAST(schema, typeNode as never);
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (!isInputType(type) || (value === undefined && defaultValue !== undefined)) {
    return;
  }
  if (value === undefined) {
    if (typeNode.kind === 'NonNullType') {
      add({ path: [name], code: 'required', detail: 'is required' });
    }
    return;
  }
  coerceInputValue(value, type, (path, _value, error) => {
    add({ path: [name, ...path], code: 'invalid_type', detail: withoutValue(error.message) });
  });
}

const WORD_SHOWN_CHARS_MAX = 100;

/**
 * A message of GraphQL's without the values in it: built-in scalars and enums end or begin their messages with the value
 * that they refuse, and names of any length are repeated whole.
 */
function withoutValue(message: string): string {
  return message
    .replace(/ value: .*$/s, ' value.')
    .replace(/(Expected value of type "[^"]*"), found .*$/s, '$1.')
    .replace(/(found (?:Block)?String) ".*$/s, '$1.')
    .replace(/Value ".*" does not exist in/s, 'The value does not exist in')
    .replaceAll(/[^\s"]{101,}/g, (word) => `${word.slice(0, WORD_SHOWN_CHARS_MAX)}…`);
}
