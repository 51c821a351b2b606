/** The header fields of draft-ietf-httpapi-ratelimit-headers-11. */
export const rateLimitHeaders = {
  'RateLimit-Policy': {
    description: 'How many management operations (`q`) the API key has in how many seconds (`w`).',
    schema: { type: 'string' },
    example: '"management";q=200;w=2',
  },
  RateLimit: {
    description:
      'How many of them are left (`r`), and after how many seconds all of them are there again (`t`).',
    schema: { type: 'string' },
    example: '"management";r=199;t=1',
  },
};

/** They stand on every answer to a request with a valid key. */
export const rateLimitHeaderRefs = Object.fromEntries(
  Object.keys(rateLimitHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
