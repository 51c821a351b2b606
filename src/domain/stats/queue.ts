import { bucketMs, type StatsRange } from './stats.js';

/** A webhook's deliveries are counted up to this number. */
export const QUEUE_COUNT_MAX = 1_000;
/** Rows of one minute: all tenants together, webhooks, and the sums of their tenants. */
export const QUEUE_ROWS_MAX = 100;

/** How much was queued at one moment, or the most at any moment of a longer time. */
interface QueueFigures {
  /** Deliveries whose time had come. */
  due: number;
  held: number;
  /** How long the oldest due delivery had been due; 0: none was. */
  oldestSeconds: number;
  /** Counting ended before the deliveries did. */
  isMore: boolean;
}

export interface QueueOfWebhook extends QueueFigures {
  webhookId: number;
  tenantId: number;
}

/** A row of a minute; webhook 0 is the sum of those of the tenant. */
export type QueueRow = QueueOfWebhook;

/**
 * The rows of a minute: the webhooks with the largest queues, and the sums of their tenants.
 *
 * @param rowsMax the most rows
 * @returns `others` whether webhooks are left out
 */
export function rowsOfMinute(
  webhooks: readonly QueueOfWebhook[],
  rowsMax = QUEUE_ROWS_MAX - 1,
): { rows: QueueRow[]; others: boolean } {
  const rows: QueueRow[] = [];
  const tenants = new Map<number, QueueRow>();
  let others = false;
  for (const webhook of webhooks.toSorted((a, b) => b.due + b.held - (a.due + a.held) || a.webhookId - b.webhookId)) {
    const sum = tenants.get(webhook.tenantId);
    if (rows.length + (sum === undefined ? 2 : 1) > rowsMax) {
      others = true;
      continue;
    }
    const own = sum ?? { ...EMPTY, tenantId: webhook.tenantId, webhookId: 0 };
    if (sum === undefined) {
      tenants.set(webhook.tenantId, own);
      rows.push(own);
    }
    rows.push(webhook);
    own.due += webhook.due;
    own.held += webhook.held;
    own.oldestSeconds = Math.max(own.oldestSeconds, webhook.oldestSeconds);
    own.isMore ||= webhook.isMore;
  }
  return { rows, others };
}

const EMPTY: QueueFigures = { due: 0, held: 0, oldestSeconds: 0, isMore: false };

/** A part of a range; null: nobody counted, or not this one. */
interface QueueBucketFigures {
  start: Date;
  due: number | null;
  held: number | null;
  oldestSeconds: number | null;
  isMore: boolean;
}

/** A bucket as it was read; its figures are null when nobody counted. */
export interface QueueRead extends Omit<QueueBucketFigures, 'start'> {
  startMs: number;
}

/** @returns every bucket of the range. One that was not read had an empty queue. */
export function queueBuckets(
  { since, until, resolution }: StatsRange,
  read: readonly QueueRead[],
): QueueBucketFigures[] {
  const length = bucketMs[resolution];
  const byStart = new Map(read.map((bucket) => [bucket.startMs, bucket]));
  return Array.from({ length: (until.getTime() - since.getTime()) / length }, (_, index) => {
    const startMs = since.getTime() + index * length;
    const { due, held, oldestSeconds, isMore } = byStart.get(startMs) ?? EMPTY;
    return { start: new Date(startMs), due, held, oldestSeconds, isMore };
  });
}
