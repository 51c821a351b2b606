import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../errors.js';

/**
 * Makes the routes of this scope read only uncompressed bodies of type application/json, with any parameters, or of
 * other types that mean the same there. Fastify's own parser refuses
 * `__proto__`, a legal name in a payload, and replaces bytes that are not UTF-8 instead of refusing them.
 */
export function readJson(app: FastifyInstance, otherTypes: readonly string[] = []): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/json', ...otherTypes], { parseAs: 'buffer' }, (request, body, done) => {
    const coding = request.headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() !== 'identity') {
      done(new ApiError('unsupported_media_type', 'The body has a Content-Encoding: send it as plain JSON.'));
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(utf8.decode(body as Buffer));
    } catch {
      done(malformed(body.length === 0 ? 'The body is empty.' : 'The body is not JSON in UTF-8.'));
      return;
    }
    done(null, value);
  });
}

/** @throws ApiError malformed_json when there is no body */
export function readBody(request: FastifyRequest): unknown {
  if (request.body === undefined) {
    throw malformed('The request has no body.');
  }
  return request.body;
}

function malformed(what: string): ApiError {
  return new ApiError('malformed_json', `${what} Send a JSON object.`);
}
