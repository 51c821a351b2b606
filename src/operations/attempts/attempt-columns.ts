import { DEFAULT_METHOD } from '../../domain/deliveries/delivery-method.js';
import { type Column, column } from '../../platform/database/rows-parameter.js';
import { type FinishedAttempt, hasFailed } from './finished-attempt.js';

/** The columns of `hookwright.attempts`. */
export const attemptColumns: Readonly<Record<string, Column<FinishedAttempt>>> = {
  delivery_id: column.bigint(({ delivery }) => delivery.id),
  number: column.integer(({ delivery }) => delivery.attemptNumber),
  tenant_id: column.bigint(({ delivery }) => delivery.tenantId),
  url: column.text(({ delivery }) => delivery.url),
  method: column.text(({ method = DEFAULT_METHOD }) => (method === DEFAULT_METHOD ? null : method)),
  started_at: column.timestamptz(({ startedAt }) => startedAt),
  duration_ms: column.integer(({ result }) => Math.round(result.durationMs)),
  status_code: column.integer((attempt) => responseOf(attempt)?.statusCode),
  error_code: column.text((attempt) => (hasFailed(attempt) ? attempt.outcome.errorCode : null)),
  request_headers: column.text(({ requestHeaders }) => JSON.stringify(requestHeaders)),
  response_headers: column.text((attempt) => {
    const response = responseOf(attempt);
    return response && JSON.stringify(response.headers);
  }),
  response_body: column.bytea((attempt) => responseOf(attempt)?.body ?? tokenFailureOf(attempt)),
  response_truncated: column.boolean((attempt) => responseOf(attempt)?.bodyTruncated ?? false),
  dns_ms: column.integer(({ result }) => result.timing?.dnsMs),
  connect_ms: column.integer(({ result }) => result.timing?.connectMs),
  tls_ms: column.integer(({ result }) => result.timing?.tlsMs),
  first_byte_ms: column.integer(({ result }) => result.timing?.firstByteMs),
};
const names = Object.keys(attemptColumns);

const responseOf = ({ result }: FinishedAttempt) => (result.kind === 'response' ? result : null);

/** Why there was no token: an attempt without a request has no other answer. */
const tokenFailureOf = ({ result }: FinishedAttempt) =>
  result.kind === 'error' && result.tokenFailure !== undefined ? Buffer.from(result.tokenFailure) : null;

/** The columns that are left empty when the event was erased: an answer may repeat the payload. */
const ofAnswer = new Set(['response_headers', 'response_body', 'response_truncated']);

const kept = (name: string) =>
  name === 'response_truncated'
    ? `e.${name} and hit.erased is not true`
    : `case when hit.erased is not true then e.${name} end`;

/**
 * SQL: the end of a statement that adds the attempts of `hit` to `hookwright.attempts`. `hit` has the ids of deliveries
 * as `id`, and whether they are `erased`, `ended` the columns.
 */
export const logAttemptsSql = `
  insert into hookwright.attempts (${names.join(', ')})
  select ${names.map((name) => (ofAnswer.has(name) ? kept(name) : `e.${name}`)).join(', ')}
  from hit join ended e on e.delivery_id = hit.id`;
