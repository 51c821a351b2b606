import type { SendResult } from './outcome.js';

/**
 * Hides the secrets of requests wherever people read about them: in the headers of attempts, which screens, exports and
 * commands show, and in answers that repeat them.
 */

export const HIDDEN = '[secret]';

/** Shorter secrets are words that answers have by chance. */
const LOOKED_FOR_CHARS_MIN = 8;
const HIDDEN_BYTES = Buffer.from(HIDDEN);

/** A result whose answer has no copy of a secret, as it was set, as it was sent, or as JSON writes either. */
export function withoutSecrets(result: SendResult, secrets: readonly string[]): SendResult {
  if (result.kind !== 'response' || secrets.length === 0) {
    return result;
  }
  const looked = lookedFor(secrets);
  const hide = (text: string) => looked.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  const headers = Object.entries(result.headers).map(([name, value]) => [
    hide(name),
    Array.isArray(value) ? value.map(hide) : hide(value),
  ]);
  const needles = looked.map((secret) => Buffer.from(secret));
  const body = needles.reduce(withoutCopies, result.body);
  return {
    ...result,
    headers: Object.fromEntries(headers),
    body: result.bodyTruncated ? withoutBegun(body, needles) : body,
  };
}

/** The longest first: one may be a part of another. */
const lookedFor = (secrets: readonly string[]): string[] =>
  [...new Set(secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))]
    .filter(({ length }) => length >= LOOKED_FOR_CHARS_MIN)
    .sort((a, b) => b.length - a.length);

function withoutCopies(body: Buffer, secret: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(secret); at !== -1; at = body.indexOf(secret, from)) {
    parts.push(body.subarray(from, at), HIDDEN_BYTES);
    from = at + secret.length;
  }
  return from === 0 ? body : Buffer.concat([...parts, body.subarray(from)]);
}

/** Where a body was cut, it may end with the beginning of a secret. */
function withoutBegun(body: Buffer, secrets: readonly Buffer[]): Buffer {
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= LOOKED_FOR_CHARS_MIN; length -= 1) {
      if (body.subarray(-length).equals(secret.subarray(0, length))) {
        return Buffer.concat([body.subarray(0, body.length - length), HIDDEN_BYTES]);
      }
    }
  }
  return body;
}
