/** The errors that a filter offers: those without an answer, and the statuses that receivers answer most. */
export const ERROR_CODES = [
  'TIMEOUT',
  'CONNECT_FAILED',
  'CONNECT_TIMEOUT',
  'CONNECTION_RESET',
  'DNS_FAILED',
  'TARGET_REFUSED',
  'TLS_FAILED',
  'TLS_CERTIFICATE_EXPIRED',
  'TLS_CERTIFICATE_NAME',
  'TLS_CERTIFICATE_UNTRUSTED',
  'PROTOCOL_ERROR',
  'CONTENT_LENGTH_TWICE',
  'HEADERS_TOO_LARGE',
  ...[500, 502, 503, 504, 400, 401, 403, 404, 405, 408, 409, 410, 413, 422, 429, 301, 302, 307, 308].map(
    (status) => `HTTP_${status}`,
  ),
];
