import type { FastifyReply } from 'fastify';
import { ApiError, errorCatalogue, type InputIssue, type Reason, toApiError } from '../errors.js';

/** A broken rule of a body (`pointer`, RFC 6901) or of a query parameter. */
export type ProblemIssue = { code: string; detail: string } & ({ pointer: string } | { parameter: string });

/** The body of an error (RFC 9457). */
export interface Problem {
  /** A URI reference that stays the same for this kind of error; it leads to an explanation. */
  type: string;
  title: string;
  status: number;
  detail: string;
  code: Reason;
  errors?: ProblemIssue[];
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
export const PROBLEMS_PATH = '/problems';

/** Where the paths of a REST request's issues start. */
export type RequestPart = 'body' | 'query';

export function problemType(reason: Reason): string {
  return `${PROBLEMS_PATH}/${reason.replaceAll('_', '-')}`;
}

/** What the caller is told. The paths of its issues start with a RequestPart. */
export function problemOf({ reason, detail, extra: { issues } }: ApiError): Problem {
  const { status, title } = errorCatalogue[reason];
  const errors = issues?.map(problemIssue);
  return {
    type: problemType(reason),
    title,
    status,
    detail: errors === undefined ? detail : summary(errors),
    code: reason,
    ...(errors === undefined ? {} : { errors }),
  };
}

function problemIssue({ path: [part, ...rest], code, detail }: InputIssue): ProblemIssue {
  return part === 'query'
    ? { parameter: rest.join('.'), code, detail }
    : { pointer: rest.map((step) => `/${escapePointer(String(step))}`).join(''), code, detail };
}

/** RFC 6901 §3. */
function escapePointer(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function summary(errors: readonly ProblemIssue[]): string {
  const [first] = errors;
  if (first === undefined) {
    return 'The input breaks a rule.';
  }
  const place = 'parameter' in first ? `The parameter ${first.parameter}` : first.pointer || 'The body';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${place}: ${first.detail}${more}`;
}

const bodyErrorReasons: Record<string, Reason> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
};
const bodyErrorDetails: Partial<Record<Reason, string>> = {
  unsupported_media_type: 'Send the body as JSON, with the header Content-Type: application/json.',
  malformed_json: 'The body does not have the length that the header Content-Length names.',
};

/**
 * Turns whatever a route, a hook, Fastify or the database threw into what the caller may be told.
 *
 * @param bodyBytesMax how long a body the route reads
 */
export function apiErrorOf(error: unknown, bodyBytesMax?: number): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const { code = '', statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const reason = bodyErrorReasons[code];
  if (reason === 'payload_too_large') {
    return new ApiError(
      reason,
      `The body of the request is too long: ${bodyBytesMax} bytes are read at most.`,
    );
  }
  if (reason !== undefined) {
    return new ApiError(reason, bodyErrorDetails[reason] ?? '');
  }
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new ApiError('not_found', 'The URL of the request is malformed.');
  }
  if (statusCode === 400) {
    return new ApiError('malformed_json', 'The body of the request could not be read.'); // it broke off
  }
  return toApiError(error);
}

/** The headers that go with an error's status. */
export function problemHeaders({ reason, extra }: ApiError): Record<string, string> {
  return {
    ...(reason === 'unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(extra.retryAfterSeconds === undefined ? {} : { 'retry-after': String(extra.retryAfterSeconds) }),
  };
}

export function sendProblem(reply: FastifyReply, error: ApiError): FastifyReply {
  return (
    reply
      .code(error.status)
      .headers(problemHeaders(error))
      .type(PROBLEM_MEDIA_TYPE)
      // As bytes: to a text Fastify would add a charset, which this type does not have.
      .send(Buffer.from(JSON.stringify(problemOf(error))))
  );
}
