/** The headers of answers: components of the OpenAPI document under their own names. */
export const headers = {
  'X-Request-Id': {
    description: 'The id of the request, also in the log: the value of the request header X-Request-Id, or a new one.',
    schema: { type: 'string' },
    example: '5d6f1c0e-7a43-4b52-9c1d-2f8e9b0a6c11',
  },
  /** With RateLimit from draft-ietf-httpapi-ratelimit-headers-11. */
  'RateLimit-Policy': {
    description: 'The limit of the API key: `q` management operations in `w` seconds.',
    schema: { type: 'string' },
    example: '"management";q=200;w=2',
  },
  RateLimit: {
    description: 'The rest of the limit: `r` operations now, and all of them again in `t` seconds.',
    schema: { type: 'string' },
    example: '"management";r=199;t=1',
  },
  Location: {
    description: 'The path of the new webhook.',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/api/v1/webhooks/42',
  },
  ETag: {
    description:
      'The version of the webhook. It changes with every change that somebody makes, and when the service disables the webhook; not with the results of deliveries (`consecutive_failures`, `last_success_at`, `last_failure_at`).',
    schema: { type: 'string', pattern: '^"[0-9]+"$' },
    example: '"3"',
  },
  'Retry-After': {
    description: 'The number of seconds to wait before the request is sent again.',
    schema: { type: 'integer', format: 'int32', minimum: 0 },
    example: 1,
  },
  'Hookwright-Cell': {
    description: 'The number of the cell that the tenant or the key of the request belongs to.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 899 },
    example: 3,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110).',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
};

export type HeaderName = keyof typeof headers;

/** Makes the member `headers` of a response. */
export const headersNamed = (...names: readonly HeaderName[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The headers of every answer to a request with a valid key. */
export const usualHeaders = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const;
