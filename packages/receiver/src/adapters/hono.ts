import { type AnyEvents, createReceiver, type ReadBody, type WebhookOptions } from '../webhook.js';
import { readWeb, toResponse } from './web.js';

const PARSED =
  'A middleware read the body from c.req.raw. Read it by c.req.text(), which keeps it, or mount the webhook before it.';

/** The context of Hono. */
export interface HonoContext {
  req: { raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
}

/** A route for Hono: `app.all('/webhooks', webhook({ secret, on }))`. */
export function webhook<Events extends object = AnyEvents, Context extends HonoContext = HonoContext>(
  options: WebhookOptions<NoInfer<Events>, Context>,
): (context: Context) => Promise<Response> {
  const receive = createReceiver(options, PARSED);
  return async (context) => {
    const { method, headers } = context.req.raw;
    const read = (bytesMax: number) => readHono(context, bytesMax);
    return toResponse(await receive({ method, headers, context, read }));
  };
}

/** Hono keeps a body that a middleware read by `c.req`. */
async function readHono({ req }: HonoContext, bytesMax: number): Promise<ReadBody> {
  if (!req.raw.bodyUsed) {
    return readWeb(req.raw, bytesMax);
  }
  try {
    return { bytes: new Uint8Array(await req.arrayBuffer()) };
  } catch {
    return { failure: 'PARSED' };
  }
}
