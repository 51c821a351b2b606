import { type AnyEvents, createReceiver, type ReadBody, type WebhookOptions } from '../webhook.js';
import { keptBytes, type NodeRequest, type NodeResponse, readNode, writeNode } from './node.js';

const PARSED =
  'Nest parsed the body and did not keep its bytes. In main.ts: NestFactory.create(AppModule, { rawBody: true }).';

/** The request of a controller on Express or on Fastify. */
export type NestRequest = NodeRequest | FastifyRequest;

interface FastifyRequest extends Pick<NodeRequest, 'method' | 'headers' | 'body' | 'rawBody'> {
  raw: unknown;
}

export type NestResponse = NodeResponse | FastifyReply;

interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: string): unknown;
}

/** For a controller: `@All() receive(@Req() request, @Res() response) { return this.webhook(request, response); }`. */
export function webhook<Events extends object = AnyEvents>(
  options: WebhookOptions<NoInfer<Events>, NestRequest>,
): (request: NestRequest, response: NestResponse) => Promise<void> {
  const receive = createReceiver(options, PARSED);
  return async (request, response) => {
    const { method, headers } = request;
    const read = (bytesMax: number) => ('raw' in request ? readFastify(request) : readNode(request, bytesMax));
    const answer = await receive({ method, headers, context: request, read });
    if ('setHeader' in response) {
      writeNode(response, answer);
    } else {
      response.code(answer.status);
      response.headers(answer.headers);
      response.send(answer.body);
    }
  };
}

/** Fastify has read the body by now, if there is one. */
function readFastify(request: FastifyRequest): ReadBody {
  const bytes = request.body === undefined ? '' : keptBytes(request);
  return bytes === undefined ? { failure: 'PARSED' } : { bytes };
}
