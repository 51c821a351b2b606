import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import Negotiator from 'negotiator';
import type { RegisteredEventType } from '../../operations/event-types/event-type-registry.js';
import { listedTypes } from '../../operations/event-types/listed-types.js';
import { Remembered } from '../../operations/rows/remembered.js';
import type { Services } from '../context/context.js';
import { openApiDocument } from './openapi.js';

/** How long a hidden type that a webhook begins to name, or no longer names, is listed as before. */
const LISTED_AGE_MAX_MS = 60_000;

const brotliCompressed = promisify(brotliCompress);
const gzipped = promisify<Buffer, Buffer>(gzip);
/** A higher one takes a second for a document of some MiB. */
const BROTLI_QUALITY = 5;

interface Made {
  of: readonly RegisteredEventType[];
  /** By `Content-Encoding`. All slow readers share these bytes. */
  bytes: Readonly<Record<Encoding, Buffer>>;
  hash: string;
}

const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

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
      made = await makeDocument(config, of);
    }
    const encoding = (new Negotiator(request).encoding([...ENCODINGS]) ?? 'identity') as Encoding;
    const etag = `"${made.hash}${encoding === 'identity' ? '' : `-${encoding}`}"`; // other bytes, another tag
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-encoding', etag });
    if (isKnown(request.headers['if-none-match'], etag)) {
      return reply.code(304).send();
    }
    if (encoding !== 'identity') {
      reply.header('content-encoding', encoding);
    }
    return reply.type('application/json; charset=utf-8').send(made.bytes[encoding]);
  });
}

async function makeDocument(config: Services['config'], of: readonly RegisteredEventType[]): Promise<Made> {
  const identity = Buffer.from(JSON.stringify(openApiDocument(config, of)));
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } };
  const [br, gzip] = await Promise.all([brotliCompressed(identity, quality), gzipped(identity)]);
  const hash = createHash('sha256').update(identity).digest('base64url');
  return { of, bytes: { br, gzip, identity }, hash };
}

/** Compares weakly (RFC 9110 §13.1.2): a proxy that compresses the answer makes the tag weak. */
const isKnown = (ifNoneMatch = '', etag: string): boolean =>
  ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
