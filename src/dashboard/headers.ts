/** The pages load nothing but their own files, and make no HTML of texts (Trusted Types). */
const directives = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export type Headers = Readonly<Record<string, string>>;

const fileHeaders: Headers = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Of a page. It is never stored: what frames it may stand in differs from session to session.
 *
 * @param frameAncestors origins of the pages that may show it in a frame
 */
export function pageHeaders(frameAncestors: readonly string[]): Headers {
  const ancestors = frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ');
  return {
    ...fileHeaders,
    'cache-control': 'no-store',
    'content-security-policy': `${directives}; frame-ancestors ${ancestors}`,
    'cross-origin-opener-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
  };
}

/** Of a file with a hash of its content in its name. */
export const assetHeaders: Headers = { ...fileHeaders, 'cache-control': 'public, max-age=31536000, immutable' };

/** Of a script that pages of other origins load, also as a module or with `integrity`. */
export const embedHeaders: Headers = {
  ...fileHeaders,
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
};
