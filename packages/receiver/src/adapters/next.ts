import { type AnyEvents, createReceiver, type WebhookOptions } from '../webhook.js';
import { type NodeRequest, type NodeResponse, readNode, writeNode } from './node.js';
import { readWeb, toResponse } from './web.js';

const PARSED =
  'Next parsed the body. In the file of this route: export const config = { api: { bodyParser: false } }. In the app ' +
  'router: call the webhook before request.json().';

/** The request of the app router or of the pages router. */
export type NextRequest = Request | NodeRequest;

/** A route of the app router, and of the pages router. */
export interface NextRoute {
  (request: Request): Promise<Response>;
  (request: NodeRequest, response: NodeResponse): Promise<void>;
}

/**
 * App router: `export const POST = webhook({ secret, on })`. Pages router: `export default webhook({ secret, on })`, and
 * `export const config = { api: { bodyParser: false } }`.
 */
export function webhook<Events extends object = AnyEvents>(
  options: WebhookOptions<NoInfer<Events>, NextRequest>,
): NextRoute {
  // next build loads the route, where the environment of production may be missing: then the first request says so.
  const { secret = () => undefined } = options;
  const receive = createReceiver({ ...options, secret }, PARSED);
  return (async (request: NextRequest, response?: NodeResponse) => {
    const { method, headers } = request;
    const isWeb = typeof headers['get'] === 'function';
    const read = (bytesMax: number) =>
      isWeb ? readWeb(request as Request, bytesMax) : readNode(request as NodeRequest, bytesMax);
    const answer = await receive({ method, headers: headers as Headers, context: request, read });
    return isWeb ? toResponse(answer) : writeNode(response as NodeResponse, answer);
  }) as NextRoute;
}
