/** The tasks that jobs are for, and what their jobs carry. A job is a hint; the rows are the truth. */

/** Names of the tasks, as the daemon registers them. */
export const DELIVER_TASK = 'deliver';
export const DELIVER_GROUP_TASK = 'deliver-group';
export const ALIGN_TASK = 'align-webhook';
export const BULK_TASK = 'bulk-operation';
export const HOUSEKEEPING_TASK = 'housekeeping';

/** As the functions `hookwright.enqueue_…` write it: a fetch counts, however often a delivery is put off. */
export const JOB_FETCHES_MAX = 25;

export interface DeliverPayload {
  id: number;
  attempt: number;
}

/** First attempts of deliveries that were made together: what a fetch, a job's end and its row cost, they share. */
export interface DeliverGroupPayload {
  group: number;
  ids: number[];
}

/** As the functions `hookwright.enqueue_…` write it: what is wanted once has one job. */
export const jobKeyOf = (payload: DeliverPayload | DeliverGroupPayload): string =>
  'ids' in payload ? `g:${payload.group}` : `d:${payload.id}`;

/** How far the deliveries of a webhook that were put off have been woken. */
export interface Woken {
  /** All up to this one. */
  wokenTo: number;
  /** A time as Postgres writes it: those that were put off before are woken. */
  putOffBefore: string;
}

export interface AlignPayload extends Partial<Woken> {
  webhookId: number;
  tenantId: number;
}

export interface BulkPayload {
  operationId: number;
  tenantId: number;
  /** See `bulkPause`. */
  waitedMs: number;
}
