import type pg from 'pg';
import { type Content, contentOf } from '../../src/domain/content/content.js';
import { deliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { secretKeys } from '../../src/domain/signing/secret.js';
import { USER_AGENT } from '../../src/platform/node/version.js';
import type { Chance } from './chance.js';
import type { Health, PastAttempt, PastDelivery, PastEvent } from './simulate.js';

/** A webhook that was made through the service, so that its signatures are right. */
export interface MadeWebhook {
  id: number;
  tenantId: number;
  url: string;
  secret: string;
  /** Null: the plain payload. */
  content: (Content & { id: number }) | null;
}

const ROWS_PER_STATEMENT = 1_000;

/** Rows with the same columns, as JSON has them. @param table without its schema */
export async function insertRows(pool: pg.Pool, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    await pool.query(
      `insert into hookwright.${table} (${columns})
       select ${columns} from json_populate_recordset(null::hookwright.${table}, $1)`,
      [JSON.stringify(rows.slice(from, from + ROWS_PER_STATEMENT))],
    );
  }
}

/** Events and what comes after them lie in a partition for each day. */
export async function makePartitions(pool: pg.Pool, daysBack: number): Promise<void> {
  await pool.query(
    `select hookwright.make_partition(parent, (now() at time zone 'UTC')::date - days)
     from unnest(array['events', 'deliveries', 'attempts']) as parent, generate_series(0, $1::integer) as days`,
    [daysBack],
  );
}

export const eventRow = (tenantId: number, { id, type, body }: PastEvent) => ({
  id,
  tenant_id: tenantId,
  event_type: type,
  body,
});

export function deliveryRow({ tenantId, id: webhookId, content }: MadeWebhook, delivery: PastDelivery) {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.id,
    tenant_id: tenantId,
    event_id: delivery.event.id,
    webhook_id: webhookId,
    event_type: delivery.event.type,
    status: delivery.status,
    attempt_count: delivery.attempts.length,
    due_at: new Date(delivery.dueAt),
    finished_at: delivery.finishedAt && new Date(delivery.finishedAt),
    last_status_code: last?.answer.kind === 'response' ? last.answer.status : null,
    last_error_code: last === undefined ? null : errorCodeOf(last),
    content_id: content?.id ?? null,
    ordering_key: delivery.key,
  };
}

const errorCodeOf = ({ outcome }: PastAttempt) => (outcome.verdict === 'SUCCEEDED' ? null : outcome.errorCode);

export function attemptRow(chance: Chance, webhook: MadeWebhook, delivery: PastDelivery, attempt: PastAttempt) {
  const { answer } = attempt;
  const { headers } = deliveryRequest({
    deliveryId: delivery.id,
    eventType: delivery.event.type,
    body: bodyOf(webhook, delivery.event),
    keys: { current: secretKeys(webhook.secret), previous: null },
    at: new Date(attempt.startedAt),
    headerPrefix: 'X-Service',
    standardWebhooks: true,
    userAgent: USER_AGENT,
  });
  const response = answer.kind === 'response' ? answer : null;
  return {
    delivery_id: delivery.id,
    number: attempt.number,
    tenant_id: webhook.tenantId,
    url: webhook.url,
    started_at: new Date(attempt.startedAt),
    duration_ms: answer.latencyMs,
    status_code: response?.status ?? null,
    error_code: errorCodeOf(attempt),
    request_headers: JSON.stringify(headers),
    response_headers:
      response &&
      JSON.stringify({
        date: new Date(attempt.startedAt + answer.latencyMs).toUTCString(),
        ...response.headers,
        'content-length': `${Buffer.byteLength(response.body)}`,
      }),
    response_body: response && `\\x${Buffer.from(response.body).toString('hex')}`,
    response_truncated: false,
    ...timingOf(chance, attempt),
  };
}

/** The settings of the operator that bodies depend on. */
const CONTENT_RULES = { cloudEventsSource: undefined, publicUrl: undefined, payloadBytesMax: 262_144 };

const bodyOf = ({ tenantId, content }: MadeWebhook, { id, type, body }: PastEvent): string =>
  content === null ? body : contentOf({ id, tenantId, type, body }, content, CONTENT_RULES)!.body;

/** How long its parts took: most connections are open already, those of retries are not; what failed has no later part. */
function timingOf(chance: Chance, { answer, number }: PastAttempt) {
  const total = answer.latencyMs;
  const none = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null };
  const failed = answer.kind === 'error' ? answer.code : null;
  const part = (most: number, of: number) => Math.min(Math.floor(total * of), chance.whole(1, most));
  if (failed === 'CONNECT_FAILED') {
    return { ...none, dns_ms: part(4, 0.5) };
  }
  if (failed?.startsWith('TLS_')) {
    return { ...none, dns_ms: part(9, 0.2), connect_ms: part(16, 0.4) };
  }
  const isReused = chance.next() < 0.6 && number === 1;
  const opened = isReused ? none : { ...none, dns_ms: part(12, 0.1), connect_ms: part(18, 0.2), tls_ms: part(26, 0.3) };
  if (failed !== null) {
    return opened;
  }
  const before = (opened.dns_ms ?? 0) + (opened.connect_ms ?? 0) + (opened.tls_ms ?? 0);
  return { ...opened, first_byte_ms: Math.max(0, total - before - part(6, 0.1)) };
}

/** Writes deliveries that are in the queues of their keys, in order. Those that have failed block them. */
export async function writeQueues(
  pool: pg.Pool,
  { id, tenantId }: MadeWebhook,
  queued: readonly PastDelivery[],
): Promise<void> {
  if (queued.length === 0) {
    return;
  }
  await pool.query('select hookwright.take_turns($1, $2, $3, $4)', [
    queued.map(() => tenantId),
    queued.map(() => id),
    queued.map(({ key }) => key),
    queued.map((delivery) => delivery.id),
  ]);
  await pool.query(
    `update hookwright.ordering_queue q set blocked_at = d.finished_at from hookwright.deliveries d
     where q.webhook_id = $1 and d.id = q.delivery_id and d.status = 'FAILED'`,
    [id],
  );
}

const HOLD_MS = 168 * 3_600_000;

/** Writes the health that the deliveries gave a webhook. */
export async function writeHealth(pool: pg.Pool, webhookId: number, health: Health, createdAt: Date): Promise<void> {
  const at = (ms: number | null) => (ms === null ? null : new Date(ms));
  await pool.query(
    `update hookwright.webhooks
     set created_at = $2, consecutive_failures = $3, failing_since = $4, last_success_at = $5, last_failure_at = $6,
         closed_until = $7, active = $8::timestamptz is null, disabled_at = $8,
         disabled_reason = $9::hookwright.disabled_reason, hold_until = $10,
         failed_at = case when $9 = 'FAILURES' then $8 end, generation = ($8::timestamptz is not null)::integer
     where id = $1`,
    [
      webhookId,
      createdAt,
      health.consecutiveFailures,
      at(health.failingSince),
      at(health.lastSuccessAt),
      at(health.lastFailureAt),
      at(health.closedUntil),
      at(health.disabledAt),
      health.disabledReason,
      at(health.disabledAt && health.disabledAt + HOLD_MS),
    ],
  );
}
