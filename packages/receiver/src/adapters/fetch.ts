import { type AnyEvents, createReceiver, type WebhookOptions } from '../webhook.js';
import { readWeb, toResponse } from './web.js';

const PARSED =
  'The body was read before, by request.json() or its like. Call the webhook first, or read a request.clone().';

/**
 * From a request of the web to its response: `export default { fetch: webhook({ secret, on }) }` for Workers and Bun,
 * `Deno.serve(webhook(…))`, or in an action of Remix or SvelteKit: `receive(request)`. Handlers, and `secret` if it is
 * a function, get the second argument: in Workers the environment.
 */
export function webhook<Events extends object = AnyEvents, Environment = unknown>(
  options: WebhookOptions<NoInfer<Events>, Environment>,
): (request: Request, environment?: Environment) => Promise<Response> {
  const receive = createReceiver(options, PARSED);
  return async (request, environment) => {
    const { method, headers } = request;
    const read = (bytesMax: number) => readWeb(request, bytesMax);
    return toResponse(await receive({ method, headers, context: environment as Environment, read }));
  };
}
