import { callers } from './callers.js';
import { checks } from './checks.js';
import { emit } from './emit.js';
import { emitEventsOnce } from './emit-events-once.js';
import { eventTypeVersions } from './event-type-versions.js';
import { flow } from './flow.js';
import { ids } from './ids.js';
import { jobs } from './jobs.js';
import { judgeEmits } from './judge-emits.js';
import { liveUpdates } from './live-updates.js';
import { newDeliveries } from './new-deliveries.js';
import { notices } from './notices.js';
import { operationalEvents } from './operational-events.js';
import { ordering } from './ordering.js';
import { partitions } from './partitions.js';
import { placeDeliveries } from './place-deliveries.js';
import { probes } from './probes.js';
import { scheduled } from './scheduled.js';
import { schemaImpact } from './schema-impact.js';
import { sessions } from './sessions.js';
import { statistics } from './statistics.js';
import { turns } from './turns.js';
import { webhookState } from './webhook-state.js';
import { whereIs } from './where-is.js';
import { writeFlowEvents } from './write-flow-events.js';

/** Every SQL function, with the rights to call it. */
export const functions: readonly string[] = [
  ids,
  partitions,
  callers,
  sessions,
  emit,
  flow,
  ordering,
  turns,
  emitEventsOnce,
  writeFlowEvents,
  placeDeliveries,
  newDeliveries,
  checks,
  probes,
  judgeEmits,
  scheduled,
  jobs,
  webhookState,
  operationalEvents,
  notices,
  eventTypeVersions,
  schemaImpact,
  liveUpdates,
  statistics,
  whereIs,
];

/** SQL: makes or replaces functions, which only roles with a grant may call. */
export const install = (some: readonly string[]) =>
  `${some.join('\n')} revoke execute on all functions in schema hookwright from public;`;
