import { type AnyEvents, BODY_BYTES_MAX, createReceiver, type WebhookOptions } from '../webhook.js';
import { isBytes } from './node.js';

const PARSED = 'Another content type parser took the body: register the webhook in a scope that adds none after it.';

/** A request of Fastify. */
export interface FastifyRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
}

/** A scope of Fastify. What it calls has many forms there, so their types say no more than that they are there. */
interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: never, options: never, parser: never): unknown;
  all(path: never, handler: never): unknown;
}

/**
 * A plugin of Fastify: `app.register(webhook({ secret, on }), { prefix: '/webhooks' })`. It has a scope of its own, in
 * which bodies are not parsed.
 */
export function webhook<Events extends object = AnyEvents>(
  options: WebhookOptions<NoInfer<Events>, FastifyRequest>,
): (scope: FastifyScope) => Promise<void> {
  const receive = createReceiver(options, PARSED);
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const { method, headers, body = '' } = request;
    const read = () => (isBytes(body) ? { bytes: body } : { failure: 'PARSED' as const });
    const answer = await receive({ method, headers, context: request, read });
    reply.code(answer.status);
    reply.headers(answer.headers);
    return reply.send(answer.body);
  };
  const bodyLimit = options.bodyBytesMax ?? BODY_BYTES_MAX;
  return async (scope) => {
    const { all, addContentTypeParser } = scope as {
      all(path: string, handler: typeof handle): unknown;
      addContentTypeParser(type: string, options: object, parser: typeof takeBytes): unknown;
    };
    scope.removeAllContentTypeParsers();
    addContentTypeParser.call(scope, '*', { parseAs: 'buffer', bodyLimit }, takeBytes);
    all.call(scope, '/', handle);
  };
}

const takeBytes = (_request: unknown, body: unknown, done: (error: null, body: unknown) => void) => done(null, body);
