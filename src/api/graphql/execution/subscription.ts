import { createSourceEventStream, execute, type GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isTooSlow } from '../../../platform/database/driver/sql-state.js';
import { isDatabaseAway } from '../../../platform/database/outage.js';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { causeOf, formatError, refusalHead } from '../fields/errors.js';
import type { Update, UpdateStream } from '../fields/update-stream.js';
import { longAnswer, notedFault, noteErrors } from './answer.js';
import type { KnownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';
import type { GraphqlServer } from './server.js';

/** A subscription that is valid, affordable, counted and open. */
export interface Subscription {
  operation: KnownOperation;
  variables: Record<string, unknown>;
  headers: Verdict['headers'];
  updates: UpdateStream<unknown>;
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

/**
 * Checks a request for a subscription like any GraphQL request, counts it and opens it.
 *
 * @throws RefusedSubscription
 */
export async function openSubscription(
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
  const variables = (request.body as { variables?: Record<string, unknown> }).variables ?? {};
  const source = await createSourceEventStream(executionOf({ operation, variables }, context));
  if (!(Symbol.asyncIterator in source)) {
    throw refused(context, source.errors ?? []);
  }
  return { operation, variables, headers, updates: source as UpdateStream<unknown> };
}

const executionOf = (
  { operation, variables }: Pick<Subscription, 'operation' | 'variables'>,
  contextValue: Context,
) => ({
  schema: operation.schema,
  document: operation.document,
  contextValue,
  variableValues: variables,
  operationName: operation.definition.name?.value ?? null,
});

/** Makes one update as the client gets it. @throws Error when the database is away, so that it can be made again */
export async function executeUpdate(
  subscription: Subscription,
  update: Update<unknown>,
  context: Context,
): Promise<object> {
  const { data, errors } = await execute({ ...executionOf(subscription, context), rootValue: update });
  const away = errors?.map(causeOf).find(isWorthAnother);
  if (away !== undefined) {
    throw away;
  }
  const tooLong = data ? longAnswer(subscription.operation, data, context) : null;
  if (tooLong !== null) {
    return { data: null, errors: [notedFault(context, tooLong)] };
  }
  noteErrors(context, errors ?? []);
  return { data, errors: errors?.map((error) => formatError(error)) };
}

/** A query that took too long would take as long again. */
const isWorthAnother = (error: unknown) => isDatabaseAway(error) && !isTooSlow(error);

/** Errors about arguments are GraphQL's own, without a `reason`. */
function refused(context: Context, errors: readonly GraphQLError[]): RefusedSubscription {
  noteErrors(context, errors);
  const shown = errors.map((error) => formatError(error));
  const head = refusalHead({ errors: shown });
  const status = head?.status ?? (shown[0]?.extensions?.['reason'] === undefined ? 400 : 200);
  return new RefusedSubscription(shown, status, head?.headers ?? {});
}
