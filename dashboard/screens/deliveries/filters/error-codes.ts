import { SEND_ERROR_CODES } from '../../../../src/domain/deliveries/outcome';

/** The errors that a filter offers: those without an answer, and the statuses that receivers answer most. */
export const ERROR_CODES: readonly string[] = [
  ...SEND_ERROR_CODES,
  ...[500, 502, 503, 504, 400, 401, 403, 404, 405, 408, 409, 410, 413, 422, 429, 301, 302, 307, 308].map(
    (status) => `HTTP_${status}`,
  ),
];
