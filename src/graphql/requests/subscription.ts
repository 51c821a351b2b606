import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
} from 'graphql';
import type { Context } from '../../context.js';
import { isTooSlow } from '../../database/sql-state.js';
import { ApiError, isDatabaseAway } from '../../errors.js';
import type { Verdict } from '../../rate-limits.js';
import {
  BrokenDocument,
  causeOf,
  errorsOf,
  formatError,
  headOf,
  refusalOf,
  refusalStatuses,
} from '../fields/errors.js';
import type { Update, UpdateStream } from '../fields/update-stream.js';
import { admit } from './admit.js';
import { noteErrors } from './answer.js';
import { chargeBroken } from './charge.js';
import type { Documents } from './documents.js';
import { longAnswerError } from './long-answer.js';
import type { KnownOperation } from './operation.js';
import { missingQuery, readBody } from './request.js';

/** A subscription that may run: its document is good, affordable and counted. */
export interface Subscription {
  operation: KnownOperation;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  /** The limits that it was counted against. */
  headers: Verdict['headers'];
}

/** Why a subscription is refused. */
export class RefusedSubscription extends Error {
  /**
   * @param status of the whole answer; 200: the errors are the first and last that the stream has to tell
   * @param limits the headers of the limits that it was counted against
   */
  constructor(
    readonly errors: readonly GraphQLFormattedError[],
    readonly status: number,
    readonly limits: Verdict['headers'],
  ) {
    super('The subscription was refused.');
  }
}

/**
 * Judges a request for a subscription by the rules of all GraphQL requests, and counts it as one operation.
 *
 * @throws RefusedSubscription, ApiError
 */
export function prepareSubscription(documents: Documents, body: unknown, context: Context): Subscription {
  try {
    const { query, operationName, variables } = readBody(body, context.config.limits.graphql);
    if (query === undefined || query === null) {
      throw missingQuery('body');
    }
    const operation = documents.find(query).operation(operationName);
    if (operation.kind !== 'subscription') {
      throw refusalOf(
        'BAD_REQUEST',
        'Only subscriptions are served here; send queries and mutations to /graphql.',
      );
    }
    const values = variables ?? {};
    const { refusal, headers } = admit(operation, values, context);
    if (refusal !== null) {
      throw new ApiError(refusal.reason, refusal.detail, { ...refusal.extra, limits: headers });
    }
    return { operation, operationName: operationName ?? undefined, variables: values, headers };
  } catch (error) {
    if (error instanceof GraphQLError || error instanceof BrokenDocument) {
      throw refused(context, errorsOf(error), chargeBroken(context));
    }
    throw error;
  }
}

/** @throws RefusedSubscription when it may not be followed, or an argument does not fit */
export async function openSubscription(
  { operation, operationName, variables }: Subscription,
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
    operationName: operationName ?? null,
  });
  if (!(Symbol.asyncIterator in source)) {
    throw refused(context, source.errors ?? [], {});
  }
  return source as UpdateStream<unknown>;
}

/**
 * One update as the client gets it.
 *
 * @throws Error when the database is away, so that the update can be made again
 */
export async function executeUpdate(
  { operation, operationName, variables }: Subscription,
  update: Update<unknown>,
  context: Context,
): Promise<Omit<ExecutionResult, 'errors'> & { errors?: GraphQLFormattedError[] }> {
  const result = await execute({
    schema: operation.schema,
    document: operation.document,
    rootValue: update,
    contextValue: context,
    variableValues: variables,
    operationName: operationName ?? null,
  });
  const away = result.errors?.map(causeOf).find(isWorthAnother);
  if (away !== undefined) {
    throw away;
  }
  const tooLong = result.data ? longAnswerError(operation, result.data, context) : null;
  const { data, errors } = tooLong ? { data: null, errors: [tooLong] } : result;
  noteErrors(context, errors ?? []);
  return {
    ...(data === undefined ? {} : { data }),
    ...(errors === undefined ? {} : { errors: formatted(errors) }),
  };
}

/** What took too long would take as long again: the update says so. */
const isWorthAnother = (error: unknown) => isDatabaseAway(error) && !isTooSlow(error);

const formatted = (errors: readonly GraphQLError[]) => errors.map(formatError);

function refused(
  context: Context,
  errors: readonly GraphQLError[],
  limits: Verdict['headers'],
): RefusedSubscription {
  noteErrors(context, errors);
  const told = formatted(errors);
  const { code, reason } = (told[0]?.extensions ?? {}) as { code?: string; reason?: string };
  // Without a reason of ours it is GraphQL's own: the document is none, does not fit, or breaks a limit.
  const status =
    (errors[0] && headOf(errors[0]))?.status ??
    refusalStatuses[code ?? ''] ??
    (reason === undefined ? 400 : 200);
  return new RefusedSubscription(told, status, limits);
}
