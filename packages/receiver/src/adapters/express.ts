import { type AnyEvents, createReceiver, type WebhookOptions } from '../webhook.js';
import { type NodeRequest, type NodeResponse, readNode, writeNode } from './node.js';

const PARSED =
  'A body parser read the body before this route. Move the route above app.use(express.json()), or keep the bytes ' +
  'there: express.json({ verify: (request, _response, bytes) => { request.rawBody = bytes; } }).';

/** A route for Express: `app.all('/webhooks', webhook({ secret, on }))`, above `app.use(express.json())`. */
export function webhook<Events extends object = AnyEvents, Request extends NodeRequest = NodeRequest>(
  options: WebhookOptions<NoInfer<Events>, Request>,
): (request: Request, response: NodeResponse) => Promise<void> {
  const receive = createReceiver(options, PARSED);
  return async (request, response) => {
    const { method, headers } = request;
    const read = (bytesMax: number) => readNode(request, bytesMax);
    writeNode(response, await receive({ method, headers, context: request, read }));
  };
}
