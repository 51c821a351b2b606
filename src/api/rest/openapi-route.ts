import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { RegisteredEventType } from '../../operations/event-types/event-type-registry.js';
import { listedTypes } from '../../operations/event-types/listed-types.js';
import { Remembered } from '../../operations/rows/remembered.js';
import type { Services } from '../context/context.js';
import { openApiDocument } from './openapi.js';

/** How long a hidden type that a webhook begins to name, or no longer names, is listed as before. */
const LISTED_AGE_MAX_MS = 60_000;

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
  { services: { config, db, eventTypes } }: { services: Pick<Services, 'config' | 'db' | 'eventTypes'> },
): Promise<void> {
  let made: Made | null = null;
  const lists = new Remembered<readonly RegisteredEventType[], readonly RegisteredEventType[]>(1);
  const listed = (all: readonly RegisteredEventType[]) =>
    lists.get(all, LISTED_AGE_MAX_MS, () => listedTypes(db, all, null));
  app.get('/openapi.json', async (request, reply) => {
    const of = await listed(await eventTypes.all());
    if (made === null || made.of.length !== of.length || of.some((type, at) => type !== made?.of[at])) {
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
