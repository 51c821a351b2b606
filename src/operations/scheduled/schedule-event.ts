import type { Emit, EmitRefusal, Refused } from '../../domain/events/emit.js';
import { commitsOf } from '../../platform/database/commits.js';
import type { Database, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { LOCK_WAIT_MS } from '../deliveries/delivery-state.js';
import { writtenTarget } from '../emits/emit-statements.js';

/** An event to emit later, already judged by its type's schema. */
interface EventToSchedule extends Emit {
  /** A time in the past is now. Null: after the delay. */
  deliverAt: Date | null;
  /** By the clock of Postgres. */
  delaySeconds: number | null;
}

type ScheduleRefusal = Exclude<EmitRefusal, 'WEBHOOK_NOT_ACTIVE'> | 'DELIVER_AT_TOO_FAR' | 'SCHEDULED_LIMIT_REACHED';

/** A duplicate has the id of the event that was scheduled with the idempotency key first. */
type Scheduled = { refused: null; id: number; duplicate: boolean } | RefusedSchedule;

export interface RefusedSchedule extends Omit<Refused, 'refused'> {
  refused: ScheduleRefusal;
  detail: string | null;
}

const statement: Statement = {
  name: 'schedule_event',
  text: `select error_code as refused, error_detail as detail, scheduled_id as id, is_duplicate as duplicate
         from hookwright.write_scheduled_event(
           $1, $2, $3, coalesce($4::timestamptz, clock_timestamp() + $5::integer * interval '1 second'), $6, $7, $8, $9,
           $10, $11::jsonb)`,
};

const patience = {
  name: 'bound_lock_wait',
  text: `select set_config('lock_timeout', $1, true)`,
  values: [`${LOCK_WAIT_MS} ms`],
};

/**
 * Schedules an event.
 *
 * @throws Error with LOCK_NOT_AVAILABLE, when another transaction is scheduling an event with the same idempotency key
 */
export async function scheduleEvent(db: Database, event: EventToSchedule): Promise<Scheduled> {
  const { tenantId, eventType, body, deliverAt, delaySeconds, idempotencyKey } = event;
  const { orderingKey = null, keepHours = null, typeVersion = null, previous = null, to = null } = event;
  // Postgres has no year 0.
  const at = deliverAt === null ? null : new Date(Math.max(0, deliverAt.getTime()));
  const targets = to === null ? null : JSON.stringify(to.map(writtenTarget));
  const values = [
    ...[tenantId, eventType, body, at, delaySeconds, idempotencyKey, orderingKey, keepHours],
    ...[typeVersion, previous, targets],
  ];
  const rows = await commitsOf(db.orm).run(() =>
    tenantQuery<Scheduled & object>(db.pool, tenantId, statement, values, patience),
  );
  return rows[0]!;
}
