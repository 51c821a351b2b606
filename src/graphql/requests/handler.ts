import type { ExecutionResult, GraphQLError } from 'graphql';
import { createHandler, type OperationArgs, type RequestParams, type Response } from 'graphql-http';
import type { Context } from '../../context.js';
import { ApiError, keyRequired } from '../../errors.js';
import type { Verdict } from '../../rate-limits.js';
import { causeOf, errorsOf, graphqlErrorOf, refusalFrom, refusalOf } from '../fields/errors.js';
import { admit, unfitError } from './admit.js';
import { answerOf, failureOf, noteErrors } from './answer.js';
import { type AnswerType, answerTypeFor, JSON_TYPE } from './answer-type.js';
import { chargeBroken } from './charge.js';
import type { Documents } from './documents.js';
import { longAnswerError } from './long-answer.js';
import type { KnownOperation } from './operation.js';
import { type GraphqlRequest, missingQuery, readBody, readUrl } from './request.js';

/** What is executed, with the headers of the limits that it was counted against. */
interface Run extends OperationArgs {
  operation: KnownOperation;
  headers: Verdict['headers'];
}

/**
 * Answers requests to /graphql with a text, a status and headers. graphql-http goes through the steps of GraphQL over
 * HTTP; what each of them comes to is said here, so that documents are judged once for all requests, and errors have
 * codes and statuses of their own.
 */
export function createGraphqlHandler(
  documents: Documents,
): (request: Omit<GraphqlRequest, 'raw' | 'headers'>, accept: string | undefined) => Promise<Response> {
  const handle = createHandler<AnswerType, Context>({
    parseRequestParams: readRequest,
    onSubscribe: (request, params) => prepare(documents, request, params),
    onOperation: (request, args, result) =>
      held(request, args as Run, answerRun(request, args as Run, result)),
  });
  return async (request, accept) => {
    const type = answerTypeFor(accept);
    if (type === null) {
      return refuseType({ ...request, raw: JSON_TYPE, headers: {} });
    }
    // graphql-http knows neither quotes nor a quality in the header, so it reads what that comes to.
    return handle({ ...request, raw: type, headers: { accept: type } });
  };
}

function answerRun(request: GraphqlRequest, run: Run, { data, errors }: ExecutionResult): Response {
  const tooLong = data ? longAnswerError(run.operation, data, request.context) : null;
  if (tooLong !== null) {
    noteErrors(request.context, [tooLong]);
    return failureOf(request, { data: null, errors: [tooLong] }, run.headers, 200);
  }
  if (errors === undefined) {
    return answerOf(request, { data }, run.headers);
  }
  if (data === undefined) {
    const unfit = unfitError(run.operation, run.variableValues ?? {}, request.context);
    // Never without one; but what the execution refuses must not be answered as if it had run.
    const refusals = unfit ? [unfit] : errors.map((error) => refusalFrom(error, 'BAD_USER_INPUT'));
    return refuse(request, refusals, chargeBroken(request.context));
  }
  noteErrors(request.context, errors);
  const { operations, emits } = run.operation.root;
  const isOfAnswer = run.operation.kind === 'mutation' && errors.some(limitsAnswer);
  const mayBePart = isOfAnswer || operations + emits.length > 1;
  return failureOf(request, { data, errors, mayBePart }, run.headers, 200);
}

/** What a mutation has done is not refused any more; its answer is as long as what it was sent, or asks no more. */
function held(request: GraphqlRequest, { operation, headers }: Run, answer: Response): Response {
  const refusal = request.context.budget.takeWhole(answer[0] ?? '');
  if (refusal === null || operation.kind === 'mutation') {
    return answer;
  }
  const error = graphqlErrorOf(refusal);
  noteErrors(request.context, [error]);
  return failureOf(request, { errors: [error] }, headers);
}

/** Below a mutation's field: what that says has been done, and must not be tried again. */
function limitsAnswer(error: GraphQLError): boolean {
  const cause = causeOf(error);
  return (error.path?.length ?? 0) > 1 && cause instanceof ApiError && cause.reason === 'rate_limited';
}

/** No type that the client takes is one of ours. */
function refuseType(request: GraphqlRequest): Response {
  const detail = 'The answer is application/json or application/graphql-response+json; accept one of them.';
  return refuse(request, [refusalOf('BAD_REQUEST', detail, { status: 406 })], chargeBroken(request.context));
}

function readRequest(request: GraphqlRequest): RequestParams | Response {
  const limits = request.context.config.limits.graphql;
  try {
    return request.method === 'POST' ? readBody(request.body, limits) : readUrl(request.url, limits);
  } catch (error) {
    return refuse(request, errorsOf(error), chargeBroken(request.context));
  }
}

/** Judges the request and counts it. */
function prepare(documents: Documents, request: GraphqlRequest, params: RequestParams): Run | Response {
  const { context } = request;
  try {
    const operation = findOperation(documents, params);
    const values = params.variables ?? {};
    requireAllowed(operation, request);
    const { refusal, headers } = admit(operation, values, context);
    if (refusal !== null) {
      return refuse(request, [graphqlErrorOf(refusal)], headers);
    }
    return {
      operation,
      schema: documents.schema,
      document: operation.document,
      rootValue: undefined,
      contextValue: context as never,
      variableValues: values,
      operationName: params.operationName,
      headers,
    };
  } catch (error) {
    return refuse(request, errorsOf(error), chargeBroken(context));
  }
}

function refuse(
  request: GraphqlRequest,
  errors: readonly GraphQLError[],
  headers: Verdict['headers'],
): Response {
  noteErrors(request.context, errors);
  return failureOf(request, { errors }, headers);
}

/** @throws BrokenDocument, GraphQLError */
function findOperation(documents: Documents, params: RequestParams): KnownOperation {
  const { query, operationName, extensions } = params;
  if (extensions?.['persistedQuery']) {
    // What clients that try it first expect, to send the document itself then.
    const headers = { 'cache-control': 'private, no-cache, must-revalidate' };
    throw refusalOf('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', { status: 200, headers });
  }
  if (!query) {
    throw missingQuery('request');
  }
  return documents.find(query).operation(operationName);
}

/** @throws GraphQLError for what this caller may not ask, or not in this way */
function requireAllowed(
  { kind, isIntrospection }: KnownOperation,
  { method, context }: GraphqlRequest,
): void {
  if (method !== 'POST' && kind !== 'query') {
    const http = { status: 405, headers: { allow: 'POST' } };
    throw refusalOf('BAD_REQUEST', `A URL can carry a query, but not a ${kind}: send it as a POST.`, http);
  }
  if (context.caller === null && !isIntrospection) {
    throw graphqlErrorOf(keyRequired());
  }
  if (kind === 'subscription') {
    throw refusalOf('BAD_REQUEST', 'Subscriptions are served at /graphql/stream.');
  }
}
