import { createHash } from 'node:crypto';

/**
 * The page with a content security policy for it. Its scripts are files of the site, or inline ones that are allowed by
 * their hash. Colours of code are `style` attributes, so styles may be inline.
 */
export function withPolicy(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);
  const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    ...["font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
  ].join('; ');
  return html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
}
