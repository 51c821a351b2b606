import type pg from 'pg';
import type { Outcome } from '../../../src/domain/deliveries/outcome.js';
import { isOperational, OPERATIONAL_EVENT_TYPES } from '../../../src/domain/events/operational-events.js';

/**
 * What is known at the end of a fault test, from three independent witnesses: the emitters know what was accepted,
 * the endpoints what arrived, and the database what the service believes. A standby that is promoted is a fourth one.
 */
export interface Evidence {
  accepted: readonly Accepted[];
  receipts: readonly Receipt[];
  /** Emitted events; the service's own are `news`. */
  events: number;
  news: readonly NewsState[];
  deliveries: readonly DeliveryState[];
  attempts: readonly AttemptState[];
  webhooks: readonly WebhookState[];
  changes: readonly WebhookChange[];
  /** Where replication was asynchronous. */
  standby?: Standby;
}

/** What a standby knew when its primary had died, before it was promoted. */
export interface Standby {
  eventIds: ReadonlySet<number>;
  /** Milliseconds since 1970. */
  primaryDiedAt: number;
}

/** An event that was answered as accepted. */
export interface Accepted {
  key: string;
  eventId: number;
  deliveryCount: number;
}

/** A request at an endpoint. Times are milliseconds since 1970. */
export interface Receipt {
  deliveryId: number;
  webhook: string;
  arrivedAt: number;
  /** Null when the connection was gone before the answer. */
  status: number | null;
  /** When it was answered, or its connection was gone. */
  endedAt?: number;
}

export interface DeliveryState {
  id: number;
  eventId: number;
  webhookId: number;
  status: 'PENDING' | 'WAITING' | 'HELD' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';
  attemptCount: number;
  /** Whether the service itself has raised the event. */
  operational: boolean;
}

/** An event that the service itself has raised, or has yet to raise: then without an id. */
export interface NewsState {
  eventId: number | null;
  type: string;
  aboutWebhookId: number;
  count: number;
}

export interface AttemptState {
  deliveryId: number;
  webhookId: number;
  number: number;
  verdict: Outcome['verdict'];
  /** Whether there was no answer: of such attempts several may count once together. */
  isUnanswered: boolean;
  startedAt: number;
  finishedAt: number;
  /** The transaction that recorded it. */
  transaction: string;
}

/** A webhook's health, from its row. */
export interface HealthSeen {
  active: boolean;
  generation: number;
  consecutiveFailures: number;
}

export interface WebhookState extends HealthSeen {
  id: number;
}

/** One update of a webhook's row, as a trigger of the test saw it; `sequence` is the order in which they happened. */
export interface WebhookChange {
  webhookId: number;
  sequence: number;
  transaction: string;
  at: number;
  before: HealthSeen;
  after: HealthSeen;
}

/** Lets a database remember every change of its webhooks' health, and in which transaction it came. */
export async function watchWebhooks(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create schema faults;
    create table faults.changes (
      sequence bigserial primary key,
      webhook_id bigint not null,
      transaction text not null default pg_current_xact_id()::xid::text,
      at timestamptz not null default clock_timestamp(),
      before json not null,
      after json not null);
    create function faults.note_change() returns trigger language plpgsql security definer as $$
    begin
      insert into faults.changes (webhook_id, before, after) values (new.id,
        json_build_object('active', old.active, 'generation', old.generation,
                          'consecutiveFailures', old.consecutive_failures),
        json_build_object('active', new.active, 'generation', new.generation,
                          'consecutiveFailures', new.consecutive_failures));
      return null;
    end $$;
    create trigger note_change after update on hookwright.webhooks
    for each row execute function faults.note_change();`);
}

const isNotNewsSql = `(event_type <> all (array[${OPERATIONAL_EVENT_TYPES.map((type) => `'${type}'`)}]))`;

const millisecondsSql = (time: string) => `(extract(epoch from ${time}) * 1000)::double precision`;

/** Reads the evidence in the database. */
export async function readEvidence(
  pool: pg.Pool,
): Promise<Pick<Evidence, 'events' | 'news' | 'deliveries' | 'attempts' | 'webhooks' | 'changes'>> {
  const rows = async <Row extends pg.QueryResultRow>(text: string) => (await pool.query<Row>(text)).rows;
  const [counted] = await rows<{ events: number }>(
    `select count(*)::integer as events from hookwright.events where ${isNotNewsSql}`,
  );
  const deliveries = await rows<Omit<DeliveryState, 'operational'> & { eventType: string }>(
    `select id, event_id as "eventId", webhook_id as "webhookId", status, attempt_count as "attemptCount",
            event_type as "eventType"
     from hookwright.deliveries order by id`,
  );
  return {
    events: counted!.events,
    news: await rows<NewsState>(
      `select id as "eventId", event_type as type, (body::json->>'webhook_id')::bigint as "aboutWebhookId",
              (body::json->>'count')::integer as count
       from hookwright.events where not ${isNotNewsSql}
       union all
       select null, event_type, webhook_id, pending from hookwright.raised_events where pending > 0`,
    ),
    deliveries: deliveries.map((row) => ({ ...row, operational: isOperational(row.eventType) })),
    attempts: await rows<AttemptState>(
      `select a.delivery_id as "deliveryId", d.webhook_id as "webhookId", a.number,
              case when a.error_code is null then 'SUCCEEDED' when a.status_code = 410 then 'GONE' else 'FAILED' end
                as verdict,
              a.status_code is null as "isUnanswered",
              ${millisecondsSql('a.started_at')} as "startedAt",
              ${millisecondsSql('a.started_at')} + a.duration_ms as "finishedAt", a.xmin::text as transaction
       from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id
       order by a.delivery_id, a.number`,
    ),
    webhooks: await rows<WebhookState>(
      `select id, active, generation, consecutive_failures as "consecutiveFailures" from hookwright.webhooks
       order by id`,
    ),
    changes: await rows<WebhookChange>(
      `select webhook_id as "webhookId", sequence, transaction, ${millisecondsSql('at')} as at, before, after
       from faults.changes order by sequence`,
    ),
  };
}
