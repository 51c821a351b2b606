import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLFormattedError,
} from 'graphql';
import type { Context } from '../../context/context.js';
import type { Verdict } from '../../context/rate-limits.js';
import { isTooSlow } from '../../database/driver/sql-state.js';
import { isDatabaseAway } from '../../database/outage.js';
import { causeOf, formatError, refusalHead } from '../fields/errors.js';
import type { Update, UpdateStream } from '../fields/update-stream.js';
import { longAnswerError } from './long-answer.js';
import { noteErrors } from './note-errors.js';
import type { KnownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';
import type { GraphqlServer } from './server.js';

/** A subscription that may run: its document is good, affordable and counted. */
export interface Subscription {
  operation: KnownOperation;
  variables: Record<string, unknown>;
  /** The limits that it was counted against. */
  headers: Verdict['headers'];
}

/** Why a subscription is refused. */
export class RefusedSubscription extends Error {
  /**
   * @param status of the whole answer; 200: the errors are the first and last that the stream has to tell
   * @param headers those of the limits that it was counted against, and those of the status
   */
  constructor(
    readonly errors: readonly GraphQLFormattedError[],
    readonly status: number,
    readonly headers: Verdict['headers'],
  ) {
    super('The subscription was refused.');
  }
}

/**
 * Judges a request for a subscription by the rules of all GraphQL requests, and counts it as one operation.
 *
 * @throws RefusedSubscription
 */
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

/** @throws RefusedSubscription when it may not be followed, or an argument does not fit */
export async function openSubscription(
  { operation, variables }: Subscription,
  context: Context,
): Promise<UpdateStream<unknown>> {
  // The guard of the field itself stands before each update; nobody should wait for the first one to be refused.
  for (const { name, requirement } of operation.guardedFields(variables)) {
    if (name.startsWith('Subscription.')) {
      requirement(context);
    }
  }
  const source = await createSourceEventStream({
    schema: operation.schema,
    document: operation.document,
    contextValue: context,
    variableValues: variables,
    operationName: operation.definition.name?.value ?? null,
  });
  if (!(Symbol.asyncIterator in source)) {
    throw refused(context, source.errors ?? []);
  }
  return source as UpdateStream<unknown>;
}

/**
 * One update as the client gets it.
 *
 * @throws Error when the database is away, so that the update can be made again
 */
export async function executeUpdate(
  { operation, variables }: Subscription,
  update: Update<unknown>,
  context: Context,
): Promise<Omit<ExecutionResult, 'errors'> & { errors?: GraphQLFormattedError[] }> {
  const result = await execute({
    schema: operation.schema,
    document: operation.document,
    rootValue: update,
    contextValue: context,
    variableValues: variables,
    operationName: operation.definition.name?.value ?? null,
  });
  const away = result.errors?.map(causeOf).find(isWorthAnother);
  if (away !== undefined) {
    throw away;
  }
  const tooLong = result.data ? longAnswerError(operation, result.data, context) : null;
  const { data, errors } = tooLong ? { data: null, errors: [tooLong] } : result;
  noteErrors(context, errors ?? []);
  return { ...(data === undefined ? {} : { data }), ...(errors === undefined ? {} : { errors: formatted(errors) }) };
}

/** What took too long would take as long again: the update says so. */
const isWorthAnother = (error: unknown) => isDatabaseAway(error) && !isTooSlow(error);

const formatted = (errors: readonly GraphQLError[]) => errors.map((error) => formatError(error));

/** GraphQL's own errors, of arguments that do not fit, have no reason of ours. */
function refused(context: Context, errors: readonly GraphQLError[]): RefusedSubscription {
  noteErrors(context, errors);
  const told = formatted(errors);
  const head = refusalHead({ errors: told });
  const status = head?.status ?? (told[0]?.extensions?.['reason'] === undefined ? 400 : 200);
  return new RefusedSubscription(told, status, head?.headers ?? {});
}
