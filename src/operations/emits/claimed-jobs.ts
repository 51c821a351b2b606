import type { Emit } from '../../domain/events/emit.js';
import type { DeliverGroupJob, DeliverJob, DueDelivery } from '../attempts/load-deliveries.js';
import type { WebhookJson } from '../attempts/webhook-to-send.js';
import type { DeliverGroupPayload, DeliverPayload } from '../jobs/tasks.js';
import type { ClaimedJob } from './local-daemon.js';

/** The answer of `hookwright.claim_new_deliveries` and `hookwright.emit_lone_event`. */
export interface ClaimedJson {
  jobs: [id: number, payload: DeliverPayload | DeliverGroupPayload, priority: number][];
  deliveries: [id: number, item: number, webhookId: number, content?: DueDelivery['content'], isOrdered?: boolean][];
  webhooks: WebhookJson[];
}

/**
 * @param items the emitted items, in their order
 * @param atMs when their transaction began
 */
export function claimedJobs(claimed: ClaimedJson, items: readonly Emit[], atMs: number): ClaimedJob[] {
  const due = dueDeliveries(claimed, items);
  return claimed.jobs.map(([id, payload, priority]) => {
    const named = ('ids' in payload ? payload.ids : [payload.id]).map(
      (delivery) => [delivery, due.get(delivery)] as const,
    );
    // Each job has its own deliveries only: a job that hangs keeps no other bodies in memory.
    const deliveries = new Map(named.filter((one): one is [number, DueDelivery] => one[1] !== undefined));
    const loaded = { atMs, deliveries };
    return { id: String(id), priority, payload: { ...payload, loaded } satisfies DeliverJob | DeliverGroupJob };
  });
}

function dueDeliveries({ deliveries, webhooks }: ClaimedJson, items: readonly Emit[]): Map<number, DueDelivery> {
  const sendable = new Map(
    webhooks.map((webhook) => [
      webhook.webhookId,
      { ...webhook, sealedSecret: Buffer.from(webhook.sealedSecret, 'base64') },
    ]),
  );
  const due = new Map<number, DueDelivery>();
  for (const [id, index, webhookId, content = null, isOrdered = false] of deliveries) {
    const webhook = sendable.get(webhookId);
    if (webhook !== undefined) {
      const { tenantId, eventType, body } = items[index]!;
      due.set(id, { id, tenantId, eventType, body, content, isOrdered, ...webhook, ...firstAttempt });
    }
  }
  return due;
}

/** The statements leave out traced events, and webhooks that are closed or have a previous secret. */
const firstAttempt = {
  traceparent: null,
  attemptNumber: 1,
  run: 0,
  failuresBefore: 0,
  previousSecret: null,
  closedForMs: 0,
  nextProbeInMs: 0,
  isCheck: false,
  isProbe: false,
  isBeingReplaced: false,
};
