import { Tables } from './0001-tables.js';
import { IdsAndPartitions } from './0002-ids-and-partitions.js';
import { EmitEvents } from './0003-emit-events.js';
import { EventTypes } from './0004-event-types.js';
import { RotationAndAudit } from './0005-rotation-and-audit.js';
import { TenantIsolation } from './0006-tenant-isolation.js';
import { TracesOfEvents } from './0013-tracing.js';

/** Every migration, in order. One file a change; a released one is never edited. */
export const migrations = [
  { name: '0001-tables', class: Tables },
  { name: '0002-ids-and-partitions', class: IdsAndPartitions },
  { name: '0003-emit-events', class: EmitEvents },
  { name: '0004-event-types', class: EventTypes },
  { name: '0005-rotation-and-audit', class: RotationAndAudit },
  { name: '0006-tenant-isolation', class: TenantIsolation },
  { name: '0013-tracing', class: TracesOfEvents },
];
