import { addHistograms } from './add-histograms.js';
import { beginPortalSession } from './begin-portal-session.js';
import { claimNewDeliveries } from './claim-new-deliveries.js';
import { countDeliveries } from './count-deliveries.js';
import { countEventTypeVersion } from './count-event-type-version.js';
import { currentTenant } from './current-tenant.js';
import { dataKeySamples } from './data-key-samples.js';
import { emit } from './emit.js';
import { emitEvents } from './emit-events.js';
import { emitEventsOnce } from './emit-events-once.js';
import { emitLoneEvent } from './emit-lone-event.js';
import { emitTracedEvents } from './emit-traced-events.js';
import { emittedLately } from './emitted-lately.js';
import { enqueueAlign } from './enqueue-align.js';
import { enqueueBulkOperation } from './enqueue-bulk-operation.js';
import { enqueueDeliveries } from './enqueue-deliveries.js';
import { enqueueNewDeliveries } from './enqueue-new-deliveries.js';
import { eventOfKey } from './event-of-key.js';
import { findApiKey } from './find-api-key.js';
import { findPortalSession } from './find-portal-session.js';
import { fitsOneCall } from './fits-one-call.js';
import { idAt } from './id-at.js';
import { idClock } from './id-clock.js';
import { idDay } from './id-day.js';
import { isNestedDeeper } from './is-nested-deeper.js';
import { jobSize } from './job-size.js';
import { judgeBody } from './judge-body.js';
import { judgeEmits } from './judge-emits.js';
import { judgeFlatBody } from './judge-flat-body.js';
import { keepEventTypeVersion } from './keep-event-type-version.js';
import { lockJobs } from './lock-jobs.js';
import { makePartition } from './make-partition.js';
import { makePartitions } from './make-partitions.js';
import { nextId } from './next-id.js';
import { noteApiKeyUse } from './note-api-key-use.js';
import { noteChangedDeliveries } from './note-changed-deliveries.js';
import { noteChangedWebhooks } from './note-changed-webhooks.js';
import { openSince } from './open-since.js';
import { opensAt } from './opens-at.js';
import { partitionsBefore } from './partitions-before.js';
import { raiseEvents } from './raise-events.js';
import { raiseNow } from './raise-now.js';
import { raisePending } from './raise-pending.js';
import { raisedLately } from './raised-lately.js';
import { readChanges } from './read-changes.js';
import { refusal } from './refusal.js';
import { refuseBusyKeys } from './refuse-busy-keys.js';
import { requireArguments } from './require-arguments.js';
import { setJobAside } from './set-job-aside.js';
import { unescapedBody } from './unescaped-body.js';
import { wantChanges } from './want-changes.js';
import { withoutOthers } from './without-others.js';
import { writeOperationalEvent } from './write-operational-event.js';

/**
 * Every SQL function: SQL that installs its current text and the rights to call it, also in place of an earlier text. A
 * function whose body is a `return` stands after those that it calls; the others look them up when they run.
 */
export const functions: readonly string[] = [
  // Ids, and the daily partitions that they make possible.
  idAt,
  idClock,
  nextId,
  idDay,
  makePartition,
  makePartitions,
  partitionsBefore,
  // Who asks.
  currentTenant,
  findApiKey,
  findPortalSession,
  beginPortalSession,
  noteApiKeyUse,
  dataKeySamples,
  // Emitting.
  emit,
  emitEvents,
  emitEventsOnce,
  emitLoneEvent,
  emitTracedEvents,
  refuseBusyKeys,
  emittedLately,
  fitsOneCall,
  jobSize,
  countDeliveries,
  eventOfKey,
  // What an application may emit.
  requireArguments,
  judgeEmits,
  judgeBody,
  judgeFlatBody,
  isNestedDeeper,
  unescapedBody,
  refusal,
  // Jobs.
  enqueueDeliveries,
  enqueueNewDeliveries,
  claimNewDeliveries,
  lockJobs,
  setJobAside,
  enqueueAlign,
  enqueueBulkOperation,
  // Deliveries of a webhook that was paused, closed or enabled.
  openSince,
  opensAt,
  // Operational events.
  raiseEvents,
  raiseNow,
  raisePending,
  raisedLately,
  writeOperationalEvent,
  // Versions of event types.
  countEventTypeVersion,
  keepEventTypeVersion,
  // Live updates.
  noteChangedDeliveries,
  noteChangedWebhooks,
  wantChanges,
  readChanges,
  withoutOthers,
  // Statistics.
  addHistograms,
];
