import type pg from 'pg';
import { reasonOf } from '../../src/domain/stats/failure-reason.js';
import { type QueueOfWebhook, rowsOfMinute } from '../../src/domain/stats/queue.js';
import { HOUR_MS, type PastDelivery } from './simulate.js';
import type { MadeWebhook } from './write.js';

const MINUTE_MS = 60_000;
/** The service keeps minutes for this time. */
const MINUTES_KEPT_HOURS = 49;

/** What daemons would have counted in the last two days beside outcomes: the queue, and the reasons of failures. */
export class PastOverTime {
  readonly #from: number;
  /** By minute and webhook. */
  readonly #queues = new Map<number, Map<number, QueueOfWebhook>>();
  readonly #failures = new Map<
    string,
    { tenant_id: number; webhook_id: number; reason: string; at: number; count: number }
  >();

  constructor(private readonly now: number) {
    this.#from = Math.floor((now - MINUTES_KEPT_HOURS * HOUR_MS) / HOUR_MS) * HOUR_MS;
  }

  add(webhook: MadeWebhook, deliveries: readonly PastDelivery[]): void {
    for (const { status, dueAt, attempts } of deliveries) {
      if (status === 'HELD') {
        this.#wait(webhook, 'held', dueAt, this.now);
      } else if (status !== 'WAITING') {
        this.#wait(webhook, 'due', dueAt, attempts[0]?.startedAt ?? this.now);
      }
      for (const { startedAt, outcome } of attempts) {
        if (outcome.verdict !== 'SUCCEEDED') {
          this.#fail(webhook, reasonOf(outcome.errorCode), startedAt);
        }
      }
    }
  }

  #wait({ id: webhookId, tenantId }: MadeWebhook, kind: 'due' | 'held', since: number, until: number): void {
    for (let at = Math.ceil(Math.max(since, this.#from) / MINUTE_MS) * MINUTE_MS; at < until; at += MINUTE_MS) {
      const minute = this.#queues.get(at) ?? new Map<number, QueueOfWebhook>();
      this.#queues.set(at, minute);
      const row = minute.get(webhookId) ?? { webhookId, tenantId, due: 0, held: 0, oldestSeconds: 0, isMore: false };
      minute.set(webhookId, row);
      row[kind] += 1;
      if (kind === 'due') {
        row.oldestSeconds = Math.max(row.oldestSeconds, (at - since) / 1_000);
      }
    }
  }

  #fail({ id, tenantId }: MadeWebhook, reason: string, startedAt: number): void {
    const at = Math.floor(startedAt / MINUTE_MS) * MINUTE_MS;
    if (at >= this.#from) {
      const key = `${id} ${reason} ${at}`;
      const row = this.#failures.get(key) ?? { tenant_id: tenantId, webhook_id: id, reason, at, count: 0 };
      this.#failures.set(key, row);
      row.count += 1;
    }
  }

  /** Before the statistics are rolled up. */
  async write(pool: pg.Pool): Promise<void> {
    const queues = [...this.#queues].flatMap(([at, webhooks]) => {
      const { rows } = rowsOfMinute([...webhooks.values()]);
      const own = rows.filter(({ webhookId }) => webhookId !== 0);
      const all = {
        tenantId: 0,
        webhookId: 0,
        due: own.reduce((sum, { due }) => sum + due, 0),
        held: own.reduce((sum, { held }) => sum + held, 0),
        oldestSeconds: Math.max(0, ...own.map(({ oldestSeconds }) => oldestSeconds)),
      };
      return [all, ...rows].map(({ tenantId, webhookId, due, held, oldestSeconds }) => ({
        ...{ tenant_id: tenantId, webhook_id: webhookId, resolution: 'MINUTE', bucket: new Date(at), due, held },
        ...{ oldest_seconds: Math.round(oldestSeconds), is_more: false, others: false },
      }));
    });
    await insert(pool, 'queue_stats', queues);
    const failures = [...this.#failures.values()].map(({ at, count, ...row }) => ({
      ...{ ...row, resolution: 'MINUTE', bucket: new Date(at), failures: count },
    }));
    await insert(pool, 'failure_stats', failures);
    await pool.query(`delete from hookwright.queue_gaps`);
    await pool.query(`update hookwright.queue_progress set counted_until = date_trunc('minute', now())`);
  }
}

const insert = (pool: pg.Pool, table: string, rows: readonly object[]) =>
  pool.query(`insert into hookwright.${table} select * from json_populate_recordset(null::hookwright.${table}, $1)`, [
    JSON.stringify(rows),
  ]);
