import 'reflect-metadata';
import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../context/context.js';
import { curlCommand } from '../../domain/curl.js';
import { unsignedHeaders } from '../../domain/delivery-request.js';
import { Delivery } from '../../entities/delivery.js';
import { USER_AGENT } from '../../node/version.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { Requires } from '../fields/requires.js';

@Resolver(() => Delivery)
export class CurlResolver {
  @Requires('events:read')
  @FieldResolver(() => String, {
    nullable: true,
    complexity: PAYLOAD_COST,
    description:
      'A command for a POSIX shell that repeats the latest attempt with curl: its url, headers and exact body. Before the first attempt that one, unsigned. Null when there was none and the webhook is deleted. It has the attempt’s own timestamp, so a receiver that allows 5 minutes refuses it later. Until then whoever is given the command can send it too: `redactSignature` leaves the signature out. Its cost is 100, since the body may be long. Needs `events:read`.',
  })
  async asCurl(
    @Root() delivery: Delivery,
    @Arg('redactSignature', () => Boolean, {
      defaultValue: false,
      description: 'Whether `REDACTED` stands in place of the signatures.',
    })
    redactSignature: boolean,
    @Ctx() context: Context,
  ): Promise<string | null> {
    const [request, body] = await Promise.all([
      requestOf(delivery, context),
      context.loaders.bodyByDelivery.load(delivery.id),
    ]);
    if (request === null || body === null) {
      return null;
    }
    const headers = redactSignature ? withoutSignatures(request.headers) : request.headers;
    // As the sender reads it: curl escapes nothing.
    const url = URL.parse(request.url)?.href ?? request.url;
    return curlCommand({ url, headers, body });
  }
}

/** The latest attempt, or what is known of the first before it is made. */
async function requestOf(delivery: Delivery, context: Context) {
  const after = Math.max(0, delivery.attemptCount - 1);
  const latest = (await context.loaders.attemptsByDelivery.load({ deliveryId: delivery.id, after })).at(-1);
  if (latest !== undefined) {
    return { url: latest.url, headers: JSON.parse(latest.requestHeaders) as Record<string, string> };
  }
  const webhook = await context.loaders.webhookById.load(delivery.webhookId);
  const { headerPrefix } = context.config.delivery;
  const headers = unsignedHeaders({
    deliveryId: delivery.id,
    eventType: delivery.eventType,
    headerPrefix,
    userAgent: USER_AGENT,
  });
  return webhook === null ? null : { url: webhook.url, headers };
}

/** Whatever the prefix was at the time: every header that signs ends so. */
function withoutSignatures(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, /-signature$/i.test(name) ? 'REDACTED' : value]),
  );
}
