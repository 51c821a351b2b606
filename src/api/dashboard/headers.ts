/** Pages load only their own files, and make no HTML of texts (Trusted Types). */
const directives = (scripts: readonly string[]): string[] => [
  "default-src 'none'",
  `script-src ${["'self'", ...scripts].join(' ')}`,
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
];

export type Headers = Readonly<Record<string, string>>;

const fileHeaders: Headers = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The headers of a page. It is not cached, because each session has its own `frame-ancestors`.
 *
 * @param frameAncestors origins of the pages that may show it in a frame
 * @param scripts the hashes of the scripts in the page itself
 */
export function pageHeaders(frameAncestors: readonly string[], scripts: readonly string[]): Headers {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ');
  return {
    ...fileHeaders,
    'cache-control': 'no-store',
    'content-security-policy': [...directives(scripts), `frame-ancestors ${ancestors}`].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
  };
}

/** The headers of a file with a hash in its name. */
export const assetHeaders: Headers = { ...fileHeaders, 'cache-control': 'public, max-age=31536000, immutable' };

/** The headers of the script that pages of other origins load, also as a module or with `integrity`. */
export const embedHeaders: Headers = {
  ...fileHeaders,
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
};
