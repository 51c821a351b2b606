import type { ApolloServerPlugin, GraphQLRequestListener, GraphQLResponse } from '@apollo/server';
import { type FormattedExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../../context/context.js';
import { ApiError } from '../../errors.js';
import { causeOf, formatError, graphqlErrorOf, refusalHead } from '../fields/errors.js';
import { JsonText, writeJson } from '../fields/json-text.js';
import { longAnswerError } from './long-answer.js';
import { noteErrors } from './note-errors.js';
import type { KnownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';

/** The last steps of an answer. They are in one hook, because Apollo runs those of several plugins at the same time. */
const listener: GraphQLRequestListener<Context> = {
  async willSendResponse({ request, response, contextValue, errors = [] }) {
    const { operation } = request.http as GraphqlRequest;
    const { data } = resultOf(response);
    const tooLong = operation && data ? longAnswerError(operation, data, contextValue) : null;
    if (tooLong !== null) {
      replace(response, contextValue, { data: null }, tooLong);
    } else if (errors.length > 0 && !(operation && mayBePart(operation, errors))) {
      setHead(response);
    }
    requireFailingStatus(request.http as GraphqlRequest, response);
    const text = write(response, contextValue);
    const noRoom = contextValue.budget.takeWhole(text);
    // What a mutation has done is not refused any more; its answer is as long as what it was sent, or asks no more.
    if (noRoom !== null && operation?.kind !== 'mutation') {
      replace(response, contextValue, {}, graphqlErrorOf(noRoom));
      write(response, contextValue);
    }
  },
};

/** Bounds answers, gives them their status, and writes them. */
export const answers: ApolloServerPlugin<Context> = { requestDidStart: async () => listener };

/** For Apollo's `stringifyResult`: what it refuses before it reads a request comes to no plugin. */
export function textOf(result: FormattedExecutionResult): string {
  return (result.data as unknown) instanceof JsonText ? (result.data as never as JsonText).text : lineOf(result);
}

/** Apollo writes answers with what it names first. */
const lineOf = ({ errors, data }: FormattedExecutionResult) => `${writeJson({ errors, data })}\n`;

/** Nothing here is delivered incrementally. */
const resultOf = ({ body }: Partial<GraphQLResponse>): FormattedExecutionResult =>
  body?.kind === 'single' ? body.singleResult : {};

const PERSISTED_QUERY_NOT_FOUND = 'PERSISTED_QUERY_NOT_FOUND';

type Response = Parameters<NonNullable<typeof listener.willSendResponse>>[0]['response'];

/** Here and not by Apollo, so that a result that cannot be written is an error of its request. */
function write(response: Response, context: Context): string {
  let text: string;
  try {
    text = lineOf(resultOf(response));
  } catch (error) {
    replace(response, context, {}, new GraphQLError('', { originalError: error as Error }));
    response.http.status = 500;
    text = lineOf(resultOf(response));
  }
  response.body = { kind: 'single', singleResult: { data: new JsonText(text) as never } };
  return text;
}

/** Puts an error in place of the answer. */
function replace(response: Response, context: Context, rest: FormattedExecutionResult, error: GraphQLError): void {
  noteErrors(context, [error]);
  response.body = { kind: 'single', singleResult: { ...rest, errors: [formatError(error)] } };
  response.http.status = 200;
  setHead(response);
}

/** Sets status and headers of a request that is refused as a whole: no root field has an answer, all for one reason. */
function setHead(response: Response): void {
  const head = refusalHead(resultOf(response));
  if (head !== undefined) {
    response.http.status = head.status;
    for (const [name, value] of Object.entries(head.headers)) {
      response.http.headers.set(name, value);
    }
  }
}

/**
 * `application/graphql-response+json` without `data` has no status of success (GraphQL over HTTP). A persisted query
 * that is not known keeps Apollo's 200: it asks the client for the text, and is no failure for a proxy.
 */
function requireFailingStatus({ answerType }: GraphqlRequest, response: Response): void {
  const { data, errors } = resultOf(response);
  const code = errors?.[0]?.extensions?.['code'];
  const isSuccess = (response.http.status ?? 200) < 300;
  if (answerType === 'application/json' || data !== undefined || !isSuccess || code === PERSISTED_QUERY_NOT_FOUND) {
    return;
  }
  response.http.status = code === 'FORBIDDEN' ? 403 : 400;
}

/** Another field may have taken effect, whatever `data` shows: a field that must not be null takes all of it along. */
function mayBePart({ kind, root: { operations, emits } }: KnownOperation, errors: readonly GraphQLError[]): boolean {
  return operations + emits.length > 1 || (kind === 'mutation' && errors.some(limitsAnswer));
}

/** Below a mutation's field: what that says has been done, and must not be tried again. */
function limitsAnswer(error: GraphQLError): boolean {
  const cause = causeOf(error);
  return (error.path?.length ?? 0) > 1 && cause instanceof ApiError && cause.reason === 'rate_limited';
}
