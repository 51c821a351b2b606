import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../errors.js';
import { inGraphqlTerms } from './field-forms.js';
import type { Operations } from './operations.js';
import { readPart } from './read-part.js';
import { webhookTest } from './schemas.js';
import { hasNoParameters, isThere, takeAnyType, type WithId, webhookIn } from './webhook-requests.js';

/** The contract's test has no body. One that names an event chooses what is sent; any other body is ignored. */
export async function testRoute(app: FastifyInstance, operations: Operations): Promise<void> {
  readChoice(app);
  const onTest = [operations.test.authorise, hasNoParameters, isThere];
  app.post<WithId>('/webhooks/:id/test', { onRequest: onTest }, async (request, reply) => {
    const id = webhookIn(request);
    const choice = request.body ? inGraphqlTerms({}, readPart(webhookTest, request.body, 'body')) : {};
    const { testWebhook } = await operations.test(request, { input: { id, ...choice } });
    const { id: deliveryId, event, status, created_at } = testWebhook.delivery;
    const data = { id: deliveryId, event, webhook_id: Number(id), status, created_at };
    return reply.code(202).send({ data });
  });
}

/** Reads a body of any type as JSON: null for another text, and for JSON that names no event. */
function readChoice(app: FastifyInstance): void {
  takeAnyType(app, async (request, body) => {
    const { bodyLimit } = request.routeOptions;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= bodyLimit || chunks.length === 0) {
        chunks.push(chunk);
      }
    }
    if (bytes <= bodyLimit) {
      return choiceIn(Buffer.concat(chunks));
    }
    if (/^\s*{/.test(chunks[0]!.toString())) {
      const detail = `The body of the request is too long: ${bodyLimit} bytes are read at most.`;
      throw new ApiError('payload_too_large', detail);
    }
    return null;
  });
}

function choiceIn(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return ((value as { event?: unknown } | null)?.event ?? null) === null ? null : value;
  } catch {
    return null;
  }
}
