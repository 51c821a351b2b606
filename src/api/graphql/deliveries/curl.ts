import 'reflect-metadata';
import { Arg, Ctx, Resolver, Root } from 'type-graphql';
import { joinedPath } from '../../../domain/addresses/joined-path.js';
import type { SentContent } from '../../../domain/content/content.js';
import { curlCommand } from '../../../domain/deliveries/curl.js';
import { DEFAULT_METHOD } from '../../../domain/deliveries/delivery-method.js';
import { fixedHeaders } from '../../../domain/deliveries/delivery-request.js';
import { isWithoutToken } from '../../../domain/deliveries/outcome.js';
import { shownHeadersOf } from '../../../domain/fields/sent-headers.js';
import { Delivery } from '../../../entities/delivery.js';
import { eventErased } from '../../../errors.js';
import { USER_AGENT } from '../../../platform/node/version.js';
import type { Config } from '../../../platform/settings/config.js';
import type { Context } from '../../context/context.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { NullableResolver } from '../fields/nullable.js';
import { optionsOf } from '../fields/options-of.js';
import { Requires } from '../fields/requires.js';
import { attemptsOn } from './attempt-page.js';

@Resolver(() => Delivery)
export class CurlResolver {
  @Requires('events:read')
  @NullableResolver(
    () => String,
    'A command for a POSIX shell that repeats the latest attempt with curl: method, url, headers and exact body. Before the first attempt, after one without a request (`AUTH_FAILED`) and after `redeliver` with `reshape` it is unsigned. Null when there was no attempt and the webhook was deleted, or when nothing can be sent (`CONTENT_TOO_LARGE`). It has the timestamp of the attempt, so receivers that allow 5 minutes refuse it later. Until then everybody who has the command can send it: `redactSignature` removes the signature. Costs 100, because the body may be long. Secret headers of the webhook are read from variables such as `X_API_KEY`. Needs `events:read`.',
    { complexity: PAYLOAD_COST },
  )
  async asCurl(
    @Root() delivery: Delivery,
    @Arg('redactSignature', () => Boolean, {
      defaultValue: false,
      description: 'Whether to replace signatures with `REDACTED`.',
    })
    redactSignature: boolean,
    @Ctx() context: Context,
  ): Promise<string | null> {
    const content = await context.loaders.contentByDelivery.load(delivery.id);
    if (content?.erased) {
      throw eventErased(`the event of delivery ${delivery.id}`);
    }
    const sent = content?.sent ?? null;
    const isLatest = content !== null && (delivery.attemptCount === 0 || delivery.attemptCount > content.reshapedAfter);
    const request = sent === null ? null : await requestOf(delivery, sent, isLatest, context);
    if (sent === null || request === null) {
      return null;
    }
    const { signatureForms } = context.config.delivery;
    const headers = redactSignature ? withoutSignatures(request.headers, signatureForms) : request.headers;
    // The sender normalizes urls, and curl does not.
    const parsed = URL.parse(request.url);
    const { path } = delivery;
    const url =
      parsed === null || path === null
        ? (parsed?.href ?? request.url)
        : `${parsed.origin}${joinedPath(parsed.pathname + parsed.search, path)}`;
    return curlCommand({ method: request.method, url, headers, body: sent.body });
  }
}

/** The latest attempt, or a preview of the next one. @param isLatest whether the latest attempt had this content */
async function requestOf(delivery: Delivery, sent: SentContent, isLatest: boolean, context: Context) {
  const page = attemptsOn({ last: 1 }, delivery.attemptCount);
  const latest = (await context.loaders.attemptsByDelivery.load({ deliveryId: delivery.id, ...page })).at(-1);
  if (latest !== undefined && isLatest && !isWithoutToken(latest.errorCode)) {
    const method = latest.method ?? DEFAULT_METHOD;
    return { method, url: latest.url, headers: JSON.parse(latest.requestHeaders) as Record<string, string> };
  }
  const webhook = await context.loaders.webhookById.load(delivery.webhookId);
  const { headerPrefix } = context.config.delivery;
  if (webhook === null) {
    return null;
  }
  const { id: deliveryId, eventType } = delivery;
  const headers = { ...fixedHeaders({ deliveryId, eventType, headerPrefix, userAgent: USER_AGENT }), ...sent.headers };
  const options = await optionsOf(webhook, context);
  const method = options?.method ?? DEFAULT_METHOD;
  return { method, url: webhook.url, headers: { ...headers, ...(options === null ? {} : shownHeadersOf(options)) } };
}

/** The prefix of the headers may have changed since, but the end of their names has not. A form's header has any. */
function withoutSignatures(
  headers: Record<string, string>,
  forms: Config['delivery']['signatureForms'],
): Record<string, string> {
  const ofForms = new Set([...forms.values()].map(({ planned }) => planned.header?.toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      /-signature$/i.test(name) || ofForms.has(name.toLowerCase()) ? 'REDACTED' : value,
    ]),
  );
}
