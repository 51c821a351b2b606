import { createSourceEventStream, execute, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isTooSlow } from '../../../platform/database/driver/sql-state.js';
import { isDatabaseAway } from '../../../platform/database/outage.js';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { causeOf, formatError, refusalHead } from '../fields/errors.js';
import type { Update, UpdateStream } from '../fields/update-stream.js';
import { longAnswerError } from './long-answer.js';
import { noteErrors } from './note-errors.js';
import type { KnownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';
import type { GraphqlServer } from './server.js';

/** A subscription that is valid, affordable and counted. */
export interface Subscription {
  operation: KnownOperation;
  variables: Record<string, unknown>;
  headers: Verdict['headers'];
}

export class RefusedSubscription extends Error {
  /** @param status of the whole answer; 200: the stream brings the errors and ends */
  constructor(
    readonly errors: readonly GraphQLFormattedError[],
    readonly status: number,
    readonly headers: Verdict['headers'],
  ) {
    super('The subscription was refused.');
  }
}

/** Checks a request for a subscription like any GraphQL request, and counts it. @throws RefusedSubscription */
export async function prepareSubscription(
  server: GraphqlServer,
  request: GraphqlRequest,
  context: Context,
): Promise<Subscription> {
  const { status, text, headers: all } = await server.answer(request, context);
  const { 'content-type': _type, 'content-length': _length, ...headers } = all;
  const { operation } = request;
  if (operation === null) {
    throw new RefusedSubscription(JSON.parse(text).errors, status, headers);
  }
  const { variables } = request.body as { variables?: Record<string, unknown> };
  return { operation, variables: variables ?? {}, headers };
}

const executionOf = ({ operation, variables }: Subscription, contextValue: Context) => ({
  schema: operation.schema,
  document: operation.document,
  contextValue,
  variableValues: variables,
  operationName: operation.definition.name?.value ?? null,
});

/** @throws RefusedSubscription when a scope is missing or an argument does not fit */
export async function openSubscription(subscription: Subscription, context: Context): Promise<UpdateStream<unknown>> {
  // The guard of the field runs with each update, and would refuse only the first one.
  try {
    for (const { name, requirement } of subscription.operation.guardedFields(subscription.variables)) {
      if (name.startsWith('Subscription.')) {
        requirement(context);
      }
    }
  } catch (error) {
    throw refused(context, [new GraphQLError('', { originalError: error as Error })]);
  }
  const source = await createSourceEventStream(executionOf(subscription, context));
  if (!(Symbol.asyncIterator in source)) {
    throw refused(context, source.errors ?? []);
  }
  return source as UpdateStream<unknown>;
}

/** Makes one update as the client gets it. @throws Error when the database is away, so that it can be made again */
export async function executeUpdate(
  subscription: Subscription,
  update: Update<unknown>,
  context: Context,
): Promise<{ data?: unknown; errors?: GraphQLFormattedError[] }> {
  const result = await execute({ ...executionOf(subscription, context), rootValue: update });
  const away = result.errors?.map(causeOf).find(isWorthAnother);
  if (away !== undefined) {
    throw away;
  }
  const tooLong = result.data ? longAnswerError(subscription.operation, result.data, context) : null;
  const { data, errors } = tooLong ? { data: null, errors: [tooLong] } : result;
  noteErrors(context, errors ?? []);
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors === undefined ? {} : { errors: formatted(errors) }),
  };
}

/** A query that took too long would take as long again. */
const isWorthAnother = (error: unknown) => isDatabaseAway(error) && !isTooSlow(error);

const formatted = (errors: readonly GraphQLError[]) => errors.map((error) => formatError(error));

/** Errors about arguments are GraphQL's own, without a `reason`. */
function refused(context: Context, errors: readonly GraphQLError[]): RefusedSubscription {
  noteErrors(context, errors);
  const shown = formatted(errors);
  const head = refusalHead({ errors: shown });
  const status = head?.status ?? (shown[0]?.extensions?.['reason'] === undefined ? 400 : 200);
  return new RefusedSubscription(shown, status, head?.headers ?? {});
}
