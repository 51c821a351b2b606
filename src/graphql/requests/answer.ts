import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Response } from 'graphql-http';
import type { Context } from '../../context.js';
import { headersOf, logFault, type Reason } from '../../errors.js';
import type { Verdict } from '../../rate-limits.js';
import { causeOf, formatError, type Head, headOf, refusalStatuses } from '../fields/errors.js';
import { writeJson } from '../fields/json-text.js';
import type { GraphqlRequest } from './request.js';

type Data = ExecutionResult['data'];

/** As the client gets it. */
interface Result {
  errors?: readonly GraphQLFormattedError[];
  data?: Data;
}

/** A result that has errors; one without `data` was refused before it ran. */
interface Failure {
  data?: Data;
  errors: readonly GraphQLError[];
  /**
   * Another field may have taken effect, whatever `data` shows: a field that must not be null takes all of it along.
   */
  mayBePart?: boolean;
}

/**
 * What cannot be written as JSON is an error of ours, in place of the answer.
 *
 * @param more headers: of the limits that it was counted against
 */
export function answerOf(
  request: GraphqlRequest,
  result: Result,
  more: Verdict['headers'],
  status = 200,
): Response {
  // Not by graphql-http, which hands each value of the result to a function on its way.
  const [text, written] = write(request.context, result, status);
  const type = `${request.raw}; charset=utf-8`;
  return [text, { status: written, statusText: '', headers: { 'content-type': type, ...more } }];
}

function write(context: Context, result: Result, status: number): [text: string, status: number] {
  try {
    return [`${writeJson(result)}\n`, status];
  } catch (error) {
    const failure = new GraphQLError('', { originalError: error as Error });
    noteErrors(context, [failure]);
    return [`${JSON.stringify({ errors: [formatError(failure)] })}\n`, 500];
  }
}

/** @param status for errors that say none */
export function failureOf(
  request: GraphqlRequest,
  { data, errors, mayBePart = false }: Failure,
  headers: Verdict['headers'],
  status = 500,
): Response {
  const told = errors.map(formatError);
  const head = (mayBePart ? undefined : refusalHead(data, told)) ??
    (errors[0] && headOf(errors[0])) ?? { status };
  const body = data === undefined ? { errors: told } : { errors: told, data };
  return answerOf(request, body, { ...headers, ...head.headers }, head.status);
}

/** The status and headers of a request that is refused as a whole: no root field has an answer, all for one reason. */
function refusalHead(data: Data, told: readonly GraphQLFormattedError[]): Head | undefined {
  const [first] = told;
  const code = String(first?.extensions?.['code']);
  const status = refusalStatuses[code];
  const isWhole =
    Object.values(data ?? {}).every((value) => value === null) &&
    told.every(({ extensions }) => extensions?.['code'] === code);
  return status !== undefined && isWhole
    ? { status, headers: headersOf(first?.extensions ?? {}) }
    : undefined;
}

/** Counts errors for Prometheus, and logs those of our side: each cause once, however many fields it took along. */
export function noteErrors({ metrics, log, requestId }: Context, errors: readonly GraphQLError[]): void {
  const causes = new Map<unknown, Reason>();
  for (const error of errors) {
    const { code, reason } = formatError(error).extensions as { code: string; reason?: Reason };
    metrics.graphqlError(code);
    if (reason !== undefined) {
      causes.set(causeOf(error), reason);
    }
  }
  for (const [cause, reason] of causes) {
    logFault(log, requestId, reason, cause);
  }
}
