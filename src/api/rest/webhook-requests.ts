import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { parseId } from '../../domain/ids/id.js';
import { notFound } from '../../errors.js';
import { readWebhook } from '../graphql/webhooks/webhook.js';
import { readBody } from '../http/json-body.js';
import { contextOf } from '../http/request-context.js';
import { readIfMatch, versionFor } from './if-match.js';
import { noQuery } from './parameters.js';
import { readPart } from './read-part.js';

/** Parts of a request about one webhook. */

export type WithId = { Params: { id: string } };

export async function isThere(request: FastifyRequest): Promise<void> {
  await readWebhook(contextOf(request), webhookIn(request), ['id']);
}

/** The id in the path, which is a number here. @throws ApiError not_found for another text, such as a global id */
export function webhookIn({ params }: FastifyRequest): string {
  const { id } = params as WithId['Params'];
  if (parseId(id) === null) {
    throw notFound('webhook', 'with such an id');
  }
  return id;
}

export async function canReadIfMatch({ headers }: FastifyRequest): Promise<void> {
  readIfMatch(headers['if-match']);
}

/** The version that If-Match asks for: a webhook with another version is not changed. */
export async function ifVersion(request: FastifyRequest): Promise<{ ifVersion?: number | undefined }> {
  const header = request.headers['if-match'];
  if (readIfMatch(header) === null) {
    return {};
  }
  const { version } = await readWebhook(contextOf(request), webhookIn(request), ['id']);
  return { ifVersion: versionFor(header, version) };
}

/** Discards the body of a request to a route without one, whatever its type and length. */
export function ignoreBody(app: FastifyInstance): void {
  takeAnyType(app, async (_request, body) => {
    body.resume();
  });
}

/** Gives bodies of every type, also of a malformed one, to one parser. */
export function takeAnyType(
  app: FastifyInstance,
  parse: (request: FastifyRequest, body: IncomingMessage) => Promise<unknown>,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', parse);
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']; // a malformed one would be refused before any parser is asked
  });
}

export function bodyOf<Schema extends z.ZodObject>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  return readPart(schema, readBody(request), 'body');
}

export async function hasNoParameters({ query }: FastifyRequest): Promise<void> {
  readPart(noQuery, query, 'query');
}
