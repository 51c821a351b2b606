/** Tasks and the payloads of their jobs. A job is a hint; the rows are the truth. */

export const DELIVER_TASK = 'deliver';
export const DELIVER_GROUP_TASK = 'deliver-group';
export const ALIGN_TASK = 'align-webhook';
export const DEFAULTS_TASK = 'follow-defaults';
export const BULK_TASK = 'bulk-operation';
export const ERASE_TASK = 'erase-events';
export const TURN_TASK = 'pass-turn';
export const HOUSEKEEPING_TASK = 'housekeeping';

/** The functions `hookwright.enqueue_…` write the same number. It counts fetches, not put-offs. */
export const JOB_FETCHES_MAX = 25;

export interface DeliverPayload {
  id: number;
  attempt: number;
  /** The attempt finds out whether the endpoint of a disabled webhook answers again. */
  probe?: boolean;
}

/** First attempts of deliveries that were made together: they share the cost of a job. */
export interface DeliverGroupPayload {
  group: number;
  ids: number[];
}

/** SQL query: the deliveries that a job may make the next attempt of. */
export const pendingSql = `select id, attempt_count, due_at from hookwright.deliveries where status = 'PENDING'`;

/** The functions `hookwright.enqueue_…` write the same keys. */
export const jobKeyOf = (payload: DeliverPayload | DeliverGroupPayload): string =>
  'ids' in payload ? `g:${payload.group}` : `d:${payload.id}`;

/** Progress in waking the put-off deliveries of a webhook. */
export interface Woken {
  /** Deliveries up to this id are done. */
  wokenTo: number;
  /** Deliveries that were put off before this time, as Postgres writes it, are woken. */
  putOffBefore: string;
}

export interface AlignPayload extends Partial<Woken> {
  webhookId: number;
  tenantId: number;
}

/** The webhooks of a tenant follow its defaults. */
export interface DefaultsPayload {
  tenantId: number;
  /** Webhooks up to this id are done. */
  after: number;
}

/** A key whose next delivery is to be woken. */
export interface TurnPayload {
  webhookId: number;
  key: string;
}

export interface BulkPayload {
  operationId: number;
  tenantId: number;
  /** See `bulkPause`. */
  waitedMs: number;
}
