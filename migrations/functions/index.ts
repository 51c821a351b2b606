import { callers } from './callers.js';
import { emit } from './emit.js';
import { emitEventsOnce } from './emit-events-once.js';
import { eventTypeVersions } from './event-type-versions.js';
import { ids } from './ids.js';
import { jobs } from './jobs.js';
import { judgeEmits } from './judge-emits.js';
import { liveUpdates } from './live-updates.js';
import { newDeliveries } from './new-deliveries.js';
import { operationalEvents } from './operational-events.js';
import { partitions } from './partitions.js';
import { statistics } from './statistics.js';
import { webhookState } from './webhook-state.js';

/** Every SQL function with its current text and the rights to call it; installed again, it replaces an earlier text. */
export const functions: readonly string[] = [
  ids,
  partitions,
  callers,
  emit,
  emitEventsOnce,
  newDeliveries,
  judgeEmits,
  jobs,
  webhookState,
  operationalEvents,
  eventTypeVersions,
  liveUpdates,
  statistics,
];
