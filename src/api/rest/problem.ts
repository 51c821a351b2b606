import type { FastifyReply } from 'fastify';
import { pointerOf } from '../../domain/schema-rules/json-pointer.js';
import { type ApiError, errorCatalogue, type InputIssue, type Reason } from '../../errors.js';
import { PROBLEMS_PATH } from './paths.js';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The first step of each path in the issues of a REST request. */
export type RequestPart = 'body' | 'query';

export function problemType(reason: Reason): string {
  return `${PROBLEMS_PATH}/${reason.replaceAll('_', '-')}`;
}

/** Makes a problem of an error. The paths of its issues start with a RequestPart. */
function problemOf({ reason, detail, extra: { issues } }: ApiError) {
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

/** A broken rule, of a body (`pointer`, RFC 6901) or of a query parameter. */
function problemIssue({ path: [part, ...rest], code, detail }: InputIssue) {
  const where = part === 'query' ? { parameter: rest.join('.') } : { pointer: pointerOf(rest) };
  return { ...where, code, detail };
}

function summary(errors: readonly ReturnType<typeof problemIssue>[]): string {
  const first = errors[0]!;
  const where = first.parameter === undefined ? first.pointer || 'The body' : `The parameter ${first.parameter}`;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${where}: ${first.detail}${more}`;
}

export function sendProblem(reply: FastifyReply, error: ApiError): FastifyReply {
  return (
    reply
      .code(error.status)
      .headers(error.headers)
      .type(PROBLEM_MEDIA_TYPE)
      // As bytes: to a text Fastify would add a charset, which this type does not have.
      .send(Buffer.from(JSON.stringify(problemOf(error))))
  );
}
