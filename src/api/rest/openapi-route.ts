import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { RegisteredEventType } from '../../operations/event-types/event-type-registry.js';
import type { Services } from '../context/context.js';
import { openApiDocument } from './openapi.js';

interface Made {
  of: readonly RegisteredEventType[];
  /** All slow readers share these bytes. */
  text: Buffer;
  etag: string;
}

/**
 * Serves the OpenAPI document. It is made when the event types have changed, not for each request: it can have 32 MiB.
 */
export async function openApiRoute(
  app: FastifyInstance,
  { services: { config, eventTypes } }: { services: Pick<Services, 'config' | 'eventTypes'> },
): Promise<void> {
  let made: Made | null = null;
  app.get('/openapi.json', async (request, reply) => {
    const of = await eventTypes.all();
    if (made?.of !== of) {
      const text = Buffer.from(JSON.stringify(openApiDocument(config, of)));
      made = { of, text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    }
    const { text, etag } = made;
    reply.headers({ 'cache-control': 'no-cache', etag });
    if (isKnown(request.headers['if-none-match'], etag)) {
      return reply.code(304).send();
    }
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

/** Compares weakly (RFC 9110 §13.1.2): a proxy that compresses the answer makes the tag weak. */
const isKnown = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
