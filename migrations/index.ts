import { Tables } from './0001-tables.js';
import { IdsAndPartitions } from './0002-ids-and-partitions.js';
import { EmitEvents } from './0003-emit-events.js';
import { EventTypes } from './0004-event-types.js';
import { RotationAndAudit } from './0005-rotation-and-audit.js';
import { TenantIsolation } from './0006-tenant-isolation.js';
import { Stats } from './0007-stats.js';
import { Outbox } from './0008-outbox.js';
import { EventTypeVersions } from './0009-event-type-versions.js';
import { BulkOperations } from './0010-bulk-operations.js';
import { Explorer } from './0011-explorer.js';
import { OperationalEvents } from './0012-operational-events.js';
import { TracesOfEvents } from './0013-tracing.js';
import { LiveUpdates } from './0014-live-updates.js';
import { QuickIds } from './0015-quick-ids.js';
import { ClaimedDeliveries } from './0016-claimed-deliveries.js';
import { JobSizes } from './0017-job-sizes.js';
import { BusyIdempotencyKeys } from './0018-busy-idempotency-keys.js';
import { NestingOfBodies } from './0019-nesting-of-bodies.js';
import { CertainJobs } from './0020-certain-jobs.js';
import { WakingInTurns } from './0021-waking-in-turns.js';
import { DataKeySamples } from './0023-data-key-samples.js';

/** Every migration, in order. One file a change; a released one is never edited. */
export const migrations = [
  { name: '0001-tables', class: Tables },
  { name: '0002-ids-and-partitions', class: IdsAndPartitions },
  { name: '0003-emit-events', class: EmitEvents },
  { name: '0004-event-types', class: EventTypes },
  { name: '0005-rotation-and-audit', class: RotationAndAudit },
  { name: '0006-tenant-isolation', class: TenantIsolation },
  { name: '0007-stats', class: Stats },
  { name: '0008-outbox', class: Outbox },
  { name: '0009-event-type-versions', class: EventTypeVersions },
  { name: '0010-bulk-operations', class: BulkOperations },
  { name: '0011-explorer', class: Explorer },
  { name: '0012-operational-events', class: OperationalEvents },
  { name: '0013-tracing', class: TracesOfEvents },
  { name: '0014-live-updates', class: LiveUpdates },
  { name: '0015-quick-ids', class: QuickIds },
  { name: '0016-claimed-deliveries', class: ClaimedDeliveries },
  { name: '0017-job-sizes', class: JobSizes },
  { name: '0018-busy-idempotency-keys', class: BusyIdempotencyKeys },
  { name: '0019-nesting-of-bodies', class: NestingOfBodies },
  { name: '0020-certain-jobs', class: CertainJobs },
  { name: '0021-waking-in-turns', class: WakingInTurns },
  { name: '0023-data-key-samples', class: DataKeySamples },
];
