import type { DeliveryMethod } from '../../src/domain/deliveries/delivery-method.js';
import type { Outcome, SendResult } from '../../src/domain/deliveries/outcome.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { Tracing } from '../../src/platform/telemetry/tracing.js';

interface AttemptTrace {
  /** Headers of the request, with which a receiver can continue the trace. */
  headers: Record<string, string>;
  ended(outcome: Outcome, result: SendResult): void;
  notMade(): void;
}

/**
 * Continues the trace in which the event was emitted, if there is one. Payload, secret and the URL's path are not
 * recorded: receivers' URLs contain tokens.
 */
export function traceAttempt(
  tracing: Tracing | null | undefined,
  delivery: DueDelivery,
  method: DeliveryMethod,
): AttemptTrace | undefined {
  if (!tracing || delivery.traceparent === null) {
    return undefined;
  }
  const span = tracing.start('deliver', 'CLIENT', delivery.traceparent, {
    'http.request.method': method,
    'server.address': URL.parse(delivery.url)?.hostname ?? '',
    'hookwright.delivery_id': delivery.id,
    'hookwright.attempt': delivery.attemptNumber,
    'hookwright.webhook_id': delivery.webhookId,
    'hookwright.tenant_id': delivery.tenantId,
    'hookwright.event_type': delivery.eventType,
  });
  return {
    headers: span.traceparent === null ? {} : { traceparent: span.traceparent },
    ended: (outcome, result) => {
      if (result.kind === 'response') {
        span.set({ 'http.response.status_code': result.statusCode });
      }
      span.end(outcome.verdict === 'SUCCEEDED' ? undefined : outcome.errorCode);
    },
    notMade: () => span.end('NOT_MADE'),
  };
}
