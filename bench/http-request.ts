/**
 * Just enough of HTTP/1.1 (RFC 9112) to receive what an HTTP client sends to a webhook: node:http costs three times
 * as much, and the receiver shares the machine with what it measures.
 */

export interface HttpRequest {
  path: string;
  /** The header section with its request line, as text. */
  head: string;
  body: Buffer;
  /** Where the next request begins. */
  end: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const HEAD_BYTES_MAX = 16_384;
const BODY_BYTES_MAX = 1_048_576;

/**
 * Reads the request at `start`.
 *
 * @returns null when it is not complete yet
 * @throws Error when it is none, or one without a Content-Length of at most 1 MiB
 */
export function readRequest(bytes: Buffer, start = 0): HttpRequest | null {
  const headEnd = bytes.indexOf(HEAD_END, start);
  if (headEnd === -1) {
    if (bytes.length - start > HEAD_BYTES_MAX) {
      throw new Error('The head of a request is too long.');
    }
    return null;
  }
  const head = bytes.toString('latin1', start, headEnd);
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/1.1\r\n'));
  const length = Number(headerOf(head, 'content-length') ?? Number.NaN);
  if (!path.startsWith('/') || !(length <= BODY_BYTES_MAX)) {
    throw new Error(`Not a request with a short body: ${head.slice(0, 100)}`);
  }
  const bodyStart = headEnd + HEAD_END.length;
  const end = bodyStart + length;
  return end > bytes.length ? null : { path, head, body: bytes.subarray(bodyStart, end), end };
}

const patterns = new Map<string, RegExp>();

/** The value of a header, by its name in any case. */
export function headerOf(head: string, name: string): string | undefined {
  let pattern = patterns.get(name);
  if (pattern === undefined) {
    pattern = new RegExp(`\r\n${name}:[ \t]*([^\r]*)`, 'i');
    patterns.set(name, pattern);
  }
  return pattern.exec(head)?.[1];
}
