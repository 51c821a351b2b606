import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { type Context, callerOf } from '../context.js';
import { isDatabaseAway } from '../errors.js';
import type { Verdict } from '../rate-limits.js';
import { requireFitting } from './apollo.js';
import { operationsOfCost } from './charge.js';
import { documentLimitsRule } from './document-limits.js';
import { causeOf, formatError, refusalOf, refusalStatuses } from './errors.js';
import { guardedFields } from './guarded-fields.js';
import { requireAffordable, requireShort, VALIDATION_ERRORS_MAX } from './limits.js';
import type { Update, UpdateStream } from './update-stream.js';

/** A subscription that may run: its document is good, affordable and counted. */
export interface Subscription {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  /** The limits that it was counted against. */
  headers: Verdict['headers'];
}

/** Why a subscription is refused. */
export class RefusedSubscription extends Error {
  /** @param status of the whole answer; 200: the errors are the first and last that the stream has to tell */
  constructor(
    readonly errors: readonly GraphQLFormattedError[],
    readonly status: number,
  ) {
    super('The subscription was refused.');
  }
}

interface Body {
  query: string;
  operationName: string | undefined;
  variables: Record<string, unknown>;
}

/**
 * Judges a request for a subscription by the rules of all GraphQL requests (src/graphql/apollo.ts), and counts it as
 * one operation.
 *
 * @throws RefusedSubscription, ApiError
 */
export function prepareSubscription(schema: GraphQLSchema, body: unknown, context: Context): Subscription {
  const { keyId } = callerOf(context);
  try {
    const { query, operationName, variables } = readBody(body, context);
    const document = parseDocument(schema, query, context);
    const operation = subscriptionIn(document, operationName);
    requireFitting(schema, operation, variables, context.config.introspection);
    const { costMax } = context.config.limits.graphql;
    const cost = requireAffordable(schema, document, operation, variables, costMax);
    const { refusal, headers } = context.limits.charge({
      keyId,
      operations: 1 + operationsOfCost(cost),
      events: null,
    });
    if (refusal !== null) {
      throw refusal;
    }
    return { schema, document, operation, operationName, variables, headers };
  } catch (error) {
    if (error instanceof GraphQLError || error instanceof RefusedSubscription) {
      context.limits.chargeBroken(keyId);
      throw error instanceof GraphQLError ? refused([error]) : error;
    }
    throw error;
  }
}

/** @throws RefusedSubscription when it may not be followed, or an argument does not fit */
export async function openSubscription(
  { schema, document, operation, operationName, variables }: Subscription,
  context: Context,
): Promise<UpdateStream<unknown>> {
  // The guard of the field itself stands before each update; nobody should wait for the first one to be refused.
  for (const { name, requirement } of guardedFields(schema, document, operation, variables)) {
    if (name.startsWith('Subscription.')) {
      requirement(context);
    }
  }
  const source = await createSourceEventStream({
    schema,
    document,
    contextValue: context,
    variableValues: variables,
    operationName: operationName ?? null,
  });
  if (!(Symbol.asyncIterator in source)) {
    throw refused(source.errors ?? []);
  }
  return source as UpdateStream<unknown>;
}

/**
 * One update as the client gets it.
 *
 * @throws Error when the database is away, so that the update can be made again
 */
export async function executeUpdate(
  { schema, document, operationName, variables }: Subscription,
  update: Update<unknown>,
  context: Context,
): Promise<Omit<ExecutionResult, 'errors'> & { errors?: GraphQLFormattedError[] }> {
  const { data, errors } = await execute({
    schema,
    document,
    rootValue: update,
    contextValue: context,
    variableValues: variables,
    operationName: operationName ?? null,
  });
  const away = errors?.map(causeOf).find(isDatabaseAway);
  if (away !== undefined) {
    throw away;
  }
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors === undefined ? {} : { errors: formatted(errors) }),
  };
}

function readBody(body: unknown, { config }: Context): Body {
  requireShort(body, config.limits.graphql);
  const { query, operationName, variables } = (body ?? {}) as Record<string, unknown>;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const isGood =
    typeof query === 'string' &&
    (operationName === undefined || operationName === null || typeof operationName === 'string') &&
    (variables === undefined || variables === null || isObject(variables));
  if (!isGood) {
    throw refusalOf(
      'BAD_REQUEST',
      'The body has the text `query`, and as needed the object `variables` and the text `operationName`.',
    );
  }
  return {
    query,
    operationName: (operationName as string | null | undefined) ?? undefined,
    variables: (variables as Record<string, unknown> | null | undefined) ?? {},
  };
}

function parseDocument(schema: GraphQLSchema, query: string, { config }: Context): DocumentNode {
  const limits = config.limits.graphql;
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: limits.tokensMax });
  } catch (error) {
    throw withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED');
  }
  const errors = validate(schema, document, [documentLimitsRule(limits), ...specifiedRules], {
    maxErrors: VALIDATION_ERRORS_MAX,
    hideSuggestions: !config.introspection,
  });
  if (errors.length > 0) {
    throw refused(errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')));
  }
  return document;
}

function withCode(error: GraphQLError, code: string): GraphQLError {
  const { nodes, source, positions, path } = error;
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions: { code } } as never);
}

function subscriptionIn(document: DocumentNode, operationName: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (!operation) {
    throw refusalOf(
      'OPERATION_RESOLUTION_FAILURE',
      'The document has no operation of that name, or several.',
    );
  }
  if (operation.operation !== 'subscription') {
    throw refusalOf(
      'BAD_REQUEST',
      'Only subscriptions are served here; send queries and mutations to /graphql.',
    );
  }
  return operation;
}

const formatted = (errors: readonly GraphQLError[]) =>
  errors.map((error) => formatError(error.toJSON(), error));

function refused(errors: readonly GraphQLError[]): RefusedSubscription {
  const told = formatted(errors).map(({ extensions: { http: _http, ...extensions } = {}, ...error }) => ({
    ...error,
    extensions,
  }));
  const { code, reason } = (told[0]?.extensions ?? {}) as { code?: string; reason?: string };
  const http = errors[0]?.extensions['http'] as { status?: number } | undefined;
  // Without a reason of ours it is GraphQL's own: the document is none, does not fit, or breaks a limit.
  const status = http?.status ?? refusalStatuses[code ?? ''] ?? (reason === undefined ? 400 : 200);
  return new RefusedSubscription(told, status);
}
