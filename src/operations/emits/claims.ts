import type pg from 'pg';
import type { DueDelivery } from '../attempts/load-deliveries.js';
import type { DeliverGroupPayload, DeliverPayload } from '../jobs/tasks.js';

/**
 * A daemon in the process of the emits. While it has room, an emit's transaction claims the new deliveries for it:
 * their jobs are written as if it had fetched them, and what it would load comes with the answer (docs/decisions/0018).
 */
export interface LocalDaemon {
  /**
   * @param items the events that are to be emitted
   * @returns null: it has no room at the moment
   */
  claim(items: readonly { body: string }[]): Claim | null;
  /**
   * Emits for a tenant that emits a lot at once, no faster than the process keeps up with what it has accepted.
   *
   * @param deliveries how many the emit is expected to make
   */
  inPace<Result>(tenantId: number, deliveries: number, emit: () => Promise<Result>): Promise<Result>;
}

/** Room that there was when it was asked for; by the time of the commit there may be less. */
export interface Claim {
  /** Connections that may write jobs for a worker pool; the API's may not. */
  pool: pg.Pool;
  /** graphile-worker's name for who has the jobs locked. */
  workerPoolId: string;
  /** Jobs of a higher priority number go where all jobs go. */
  priorityMax: number;
  deliveriesMax: number;
  /**
   * To be called once, with what the commit has claimed, perhaps nothing. Not where nobody knows whether there was a
   * commit, because its reply was lost: the runner finds what it has locked and does not know of.
   */
  settle(jobs: readonly ClaimedJob[]): void;
}

/** A job that was written locked. */
export interface ClaimedJob {
  id: string;
  priority: number;
  payload: DeliverPayload | DeliverGroupPayload;
  /** Those of its deliveries that may be sent now, as far as the transaction knows; others are still to be loaded. */
  loaded: ReadonlyMap<number, DueDelivery>;
}

/** What `hookwright.claim_new_deliveries` answers, and `hookwright.emit_lone_event`. */
export interface ClaimedJson {
  jobs: [id: number, payload: DeliverPayload | DeliverGroupPayload, priority: number][];
  deliveries: [id: number, item: number, webhookId: number][];
  webhooks: ClaimedWebhook[];
}

type ClaimedWebhook = [id: number, url: string, sealedSecret: string, generation: number, failuresAtLoad: number];

interface EmittedItem {
  tenantId: number;
  eventType: string;
  body: string;
}

/** @param items those that were emitted, in their order */
export function claimedJobs(claimed: ClaimedJson, items: readonly EmittedItem[]): ClaimedJob[] {
  const webhooks = new Map(claimed.webhooks.map((webhook) => [webhook[0], ofWebhook(webhook)]));
  const loaded = new Map<number, DueDelivery>();
  for (const [id, index, webhookId] of claimed.deliveries) {
    const webhook = webhooks.get(webhookId);
    if (webhook !== undefined) {
      const { tenantId, eventType, body } = items[index]!;
      loaded.set(id, {
        id,
        tenantId,
        eventType,
        body,
        traceparent: null,
        attemptNumber: 1,
        run: 0,
        failuresBefore: 0,
        ...webhook,
      });
    }
  }
  return claimed.jobs.map(([id, payload, priority]) => ({
    id: String(id),
    priority,
    payload,
    // Each its own ones, not those of all: a job that hangs keeps no bodies of others.
    loaded: new Map(
      ('ids' in payload ? payload.ids : [payload.id]).flatMap((delivery) => {
        const due = loaded.get(delivery);
        return due === undefined ? [] : [[delivery, due] as const];
      }),
    ),
  }));
}

function ofWebhook([webhookId, url, sealedSecret, generation, failuresAtLoad]: ClaimedWebhook) {
  return {
    webhookId,
    url,
    sealedSecret: Buffer.from(sealedSecret, 'base64'),
    previousSecret: null,
    generation,
    failuresAtLoad,
    closedForMs: 0,
    nextProbeInMs: 0,
  };
}
