import type { ApolloServerPlugin, GraphQLRequestListener, GraphQLResponse } from '@apollo/server';
import { type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ApiError, type Reason } from '../../../errors.js';
import { piece } from '../../../platform/concurrency/in-pieces.js';
import type { Context, Services } from '../../context/context.js';
import { logFault } from '../../context/faults.js';
import { answerTooLarge } from '../../context/memory-budget.js';
import { causeOf, formatError, refusalHead } from '../fields/errors.js';
import { JsonText, writeJson } from '../fields/json-text.js';
import type { KnownOperation } from './operation.js';
import type { GraphqlRequest } from './request.js';

const listener: GraphQLRequestListener<Context> = {
  didEncounterErrors: async ({ contextValue, errors }) => noteErrors(contextValue, errors),

  willSendResponse: ({ request, response, contextValue, errors = [] }) =>
    finishAnswer(request.http as GraphqlRequest, response, contextValue, errors),
};

/** Limits answers, sets their status, writes them, and notes their errors, also those of requests refused early. */
export function answers({ metrics }: Pick<Services, 'metrics'>): ApolloServerPlugin<Context> {
  const count = async ({ error }: { error: Error }) =>
    metrics.graphqlErrors.count(String(formatError(error as GraphQLError).extensions?.['code']));
  return {
    contextCreationDidFail: count,
    invalidRequestWasReceived: count,
    unexpectedErrorProcessingRequest: async ({ requestContext, error }) =>
      void notedFault(requestContext.contextValue, error),
    requestDidStart: async () => listener,
  };
}

/** Limits an answer, sets its status and writes it. */
export async function finishAnswer(
  request: GraphqlRequest,
  response: Response,
  context: Context,
  errors: readonly GraphQLError[],
): Promise<void> {
  const { operation } = request;
  const { data } = resultOf(response);
  const tooLong = operation && data ? longAnswer(operation, data, context) : null;
  if (tooLong !== null) {
    replace(response, context, { data: null }, tooLong);
  } else if (errors.length > 0 && !(operation && mayBePart(operation, errors))) {
    setHead(response);
  }
  requireFailingStatus(request, response);
  if (operation && !isShort(operation)) {
    await writeLongTexts(resultOf(response), context.tenantId);
  }
  const text = write(response, context);
  const refusal = context.budget.reserveWhole(text);
  // The effect of a mutation stands, so its answer is sent. It is about as long as its input.
  if (refusal !== null && operation?.kind !== 'mutation') {
    replace(response, context, {}, refusal);
    write(response, context);
  }
}

/** Counts errors in the metrics and logs the faults of the service, each cause once. */
export function noteErrors({ metrics, log, requestId }: Context, errors: readonly GraphQLError[]): void {
  const causes = new Map<unknown, Reason>();
  for (const error of errors) {
    const { code, reason } = formatError(error).extensions as { code: string; reason?: Reason };
    metrics.graphqlErrors.count(code);
    if (reason !== undefined) {
      causes.set(causeOf(error), reason);
    }
  }
  for (const [cause, reason] of causes) {
    logFault(log, requestId, reason, cause);
  }
}

/** Notes a fault that came outside of resolvers, and returns the error that the caller gets. */
export function notedFault(context: Context, cause: unknown): GraphQLFormattedError {
  const error = new GraphQLError('', { originalError: cause as Error });
  noteErrors(context, [error]);
  return formatError(error);
}

/** Apollo's `stringifyResult`. Requests that Apollo refuses early pass no plugin, so they are not written yet. */
export function textOf(result: FormattedExecutionResult): string {
  return (result.data as unknown) instanceof JsonText ? (result.data as never as JsonText).text : lineOf(result);
}

const lineOf = ({ errors, data }: FormattedExecutionResult) => `${writeJson({ errors, data })}\n`;

export const resultOf = ({ body }: Response): FormattedExecutionResult =>
  body?.kind === 'single' ? body.singleResult : {};

const PERSISTED_QUERY_NOT_FOUND = 'PERSISTED_QUERY_NOT_FOUND';

/** The body is there once the operation has run. */
export type Response = Pick<GraphQLResponse, 'http'> & { body?: GraphQLResponse['body'] | undefined };

/** Writes the text before Apollo would, so that a failure is an error of this request. */
function write(response: Response, context: Context): string {
  let text: string;
  try {
    text = lineOf(resultOf(response));
  } catch (error) {
    replace(response, context, {}, error);
    response.http.status = 500;
    text = lineOf(resultOf(response));
  }
  response.body = { kind: 'single', singleResult: { data: new JsonText(text) as never } };
  return text;
}

function replace(response: Response, context: Context, rest: FormattedExecutionResult, cause: unknown): void {
  response.body = { kind: 'single', singleResult: { ...rest, errors: [notedFault(context, cause)] } };
  response.http.status = 200;
  setHead(response);
}

/** Sets status and headers of a request that is refused as a whole. */
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
 * An answer of the type `application/graphql-response+json` without `data` has no 2xx status (GraphQL over HTTP). Only
 * an unknown persisted query keeps Apollo's 200: it asks the client for the text, and is not a failure for a proxy.
 */
function requireFailingStatus({ answerType }: GraphqlRequest, response: Response): void {
  const { data, errors } = resultOf(response);
  const code = errors?.[0]?.extensions?.['code'];
  const isSuccess = (response.http.status ?? 200) < 300;
  if (answerType !== 'application/json' && data === undefined && isSuccess && code !== PERSISTED_QUERY_NOT_FOUND) {
    response.http.status = code === 'FORBIDDEN' ? 403 : 400;
  }
}

/** Whether another field may have taken effect, although `data` is null: one failing field can remove the others. */
function mayBePart({ kind, root: { operations, emits } }: KnownOperation, errors: readonly GraphQLError[]): boolean {
  return operations + emits.length > 1 || (kind === 'mutation' && errors.some(limitsAnswer));
}

/** A rate limit below a mutation's field concerns only the answer: the mutation must not be repeated. */
function limitsAnswer(error: GraphQLError): boolean {
  const cause = causeOf(error);
  return (error.path?.length ?? 0) > 1 && cause instanceof ApiError && cause.reason === 'rate_limited';
}

/** The assumed length of a number, a truth value or null, with its comma. */
const VALUE_BYTES = 4;

/** Operations up to this cost return a few hundred objects at most; their answers are not measured. */
const MEASURED_COST = 100;
/** The limit for mutations is above the cost of `emitEvents`, which may return a hundred results. */
const MEASURED_MUTATION_COST = 2_500;

/** A whole answer may be this many times as long as its long texts may be. */
const WHOLE_ANSWER_FACTOR = 2;

/**
 * The error that replaces a whole answer which is too long; null for all others. Many short texts are long too, and
 * JSON.stringify fails beyond JavaScript's longest text.
 */
export function longAnswer(
  { fixedCost, kind }: KnownOperation,
  data: unknown,
  { budget: { bytesMax } }: Pick<Context, 'budget'>,
): ApiError | null {
  if (isShort({ fixedCost, kind }) || leftOf(WHOLE_ANSWER_FACTOR * bytesMax, data) >= 0) {
    return null;
  }
  const done = kind === 'mutation' ? ' The effect of the mutation stands.' : '';
  const { reason, detail } = answerTooLarge(bytesMax);
  return new ApiError(reason, `${detail}${done}`);
}

const isShort = ({ fixedCost, kind }: Pick<KnownOperation, 'fixedCost' | 'kind'>): boolean =>
  fixedCost !== null && fixedCost <= (kind === 'mutation' ? MEASURED_MUTATION_COST : MEASURED_COST);

/** Shorter texts are written with the rest of an answer. */
const LONG_TEXT_CHARS = 16_384;

/** Writes the long texts of an answer, piece by piece: all of them may take a fifth of a second. */
async function writeLongTexts(result: FormattedExecutionResult, tenantId: number | null): Promise<void> {
  for (const { parent, name, text } of longTextsIn(result)) {
    parent[name] = await piece(tenantId, () => new JsonText(JSON.stringify(text)));
  }
}

interface LongText {
  parent: Record<string, unknown>;
  name: string;
  text: string;
}

function longTextsIn(parent: object, found: LongText[] = []): LongText[] {
  for (const [name, value] of Array.isArray(parent) ? [] : Object.entries(parent)) {
    if (typeof value === 'string' && value.length >= LONG_TEXT_CHARS) {
      found.push({ parent: parent as LongText['parent'], name, text: value });
    }
  }
  for (const part of Object.values(parent)) {
    if (typeof part === 'object' && part !== null && !(part instanceof JsonText)) {
      longTextsIn(part, found);
    }
  }
  return found;
}

function leftOf(bytes: number, value: unknown): number {
  if (typeof value === 'string') {
    return bytes - value.length;
  }
  if (value instanceof JsonText) {
    return bytes - value.text.length;
  }
  if (typeof value !== 'object' || value === null) {
    return bytes - VALUE_BYTES;
  }
  let left = bytes;
  // The indexes of a list are not made into names: it may have as many items as the text has characters.
  for (const name of Array.isArray(value) ? [] : Object.keys(value)) {
    left -= name.length;
  }
  for (const part of Object.values(value)) {
    if (left < 0) {
      break;
    }
    left = leftOf(left, part);
  }
  return left;
}
