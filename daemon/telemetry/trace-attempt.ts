import type { Outcome, SendResult } from '../../src/domain/outcome.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { Tracing } from '../../src/telemetry/tracing.js';

interface AttemptTrace {
  /** For the request, so that a receiver that traces goes on from here. */
  headers: Record<string, string>;
  ended(outcome: Outcome, result: SendResult): void;
  /** No request was made. Does nothing when one was. */
  notMade(): void;
}

/**
 * Goes on with the trace in which the event was emitted, if there is one. Nothing of the payload, the secret or the
 * path of the url is recorded: receivers' urls hold tokens.
 */
export function traceAttempt(tracing: Tracing | null | undefined, delivery: DueDelivery): AttemptTrace | undefined {
  if (!tracing || delivery.traceparent === null) {
    return undefined;
  }
  const span = tracing.start('deliver', 'CLIENT', delivery.traceparent, {
    'http.request.method': 'POST',
    'server.address': URL.parse(delivery.url)?.hostname ?? '',
    'hookwright.delivery_id': delivery.id,
    'hookwright.attempt': delivery.attemptNumber,
    'hookwright.webhook_id': delivery.webhookId,
    'hookwright.tenant_id': delivery.tenantId,
    'hookwright.event_type': delivery.eventType,
  });
  let hasEnded = false;
  const end = (error?: string) => {
    if (!hasEnded) {
      hasEnded = true;
      span.end(error);
    }
  };
  return {
    headers: span.traceparent === null ? {} : { traceparent: span.traceparent },
    ended: (outcome, result) => {
      if (result.kind === 'response') {
        span.set({ 'http.response.status_code': result.statusCode });
      }
      end(outcome.verdict === 'SUCCEEDED' ? undefined : outcome.errorCode);
    },
    notMade: () => end('NOT_MADE'),
  };
}
