import type { FieldCondition } from '../../domain/content/filter.js';
import type { BulkKind } from '../../entities/bulk-operation.js';
import type { StatusCodeClass } from '../explorer/page-deliveries.js';

/** The rows of a bulk operation, as stored (`filter` in JSON). */
export interface BulkSelection {
  kind: `${BulkKind}`;
  /** Null: deliveries of all webhooks. */
  webhookId: number | null;
  filter: BulkFilter;
}

export interface BulkFilter {
  /** States of deliveries; HOLD_EXPIRED: canceled for that reason. */
  status?: readonly string[];
  eventTypes?: readonly string[] | null;
  statusCodeClass?: StatusCodeClass;
  errorCode?: string;
  lastAttemptFailed?: true;
  retrying?: true;
  /** A part of the event's body, letter by letter. */
  payloadContains?: string;
  /** The global id of the one event whose deliveries are meant. */
  eventId?: string;
  /** Erases only events whose payload meets this condition. Not stored so. */
  field?: FieldCondition | null;
  /** Replays events too that have a delivery to the webhook. */
  includeDelivered?: boolean;
  /** Replays events too whose type the webhook does not subscribe to. */
  includeUnsubscribed?: boolean;
  /** Replays events too that do not meet the webhook's filter. */
  includeFiltered?: boolean;
}

/** Ids strictly between. */
export interface BulkRange {
  above: number;
  below: number;
}

export const isOfEvents = ({ kind }: Pick<BulkSelection, 'kind'>): boolean =>
  kind === 'REPLAY_EVENTS' || kind === 'ERASE_EVENTS';

/** Whether it sends deliveries of all webhooks: then those of inactive ones are left out. */
export const sendsToAll = ({ kind, webhookId }: Pick<BulkSelection, 'kind' | 'webhookId'>): boolean =>
  webhookId === null && kind !== 'CANCEL_DELIVERIES';

/** Whether it sends finished deliveries again. A check has said what it was for, so it is left out. */
export const recovers = ({ kind }: Pick<BulkSelection, 'kind'>): boolean =>
  kind === 'RECOVER_WEBHOOK' || kind === 'RECOVER_DELIVERIES';

/** SQL condition: this delivery's status is among those in the text[] `statuses`. */
export const hasStatusSql = (delivery: string, statuses: string): string =>
  `(${delivery}.status::text = any(${statuses})
    or (${delivery}.cancel_reason = 'HOLD_EXPIRED' and 'HOLD_EXPIRED' = any(${statuses})))`;
