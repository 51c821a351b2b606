import type pg from 'pg';
import { matches } from '../../src/domain/events/event-type.js';
import { LATENCY_BUCKETS, latencyBucket } from '../../src/domain/stats/latency.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { pickType } from './catalogue.js';
import type { Chance } from './chance.js';
import type { SeededEndpoint } from './endpoints.js';
import { busyness, HOUR_MS, type PastDelivery } from './simulate.js';
import type { MadeWebhook } from './write.js';

const MINUTE_MS = 60_000;
/** The service keeps minutes for this time. */
const MINUTES_KEPT_HOURS = 49;
const STATS_DAYS = 31;

interface Row {
  tenant_id: number;
  webhook_id: number;
  event_type: string;
  resolution: 'MINUTE' | 'HOUR';
  bucket: string;
  successes: number;
  failures: number;
  latency_histogram: number[];
}

/** Statistics as the daemon would have written them: minutes of the last two days, and hours of a month. */
export class PastStats {
  readonly #rows = new Map<string, Row>();
  readonly #minutesFrom: number;

  constructor(private readonly now: number) {
    this.#minutesFrom = Math.floor((now - MINUTES_KEPT_HOURS * HOUR_MS) / HOUR_MS) * HOUR_MS;
  }

  addDeliveries(webhook: MadeWebhook, deliveries: readonly PastDelivery[]): void {
    for (const { event, attempts } of deliveries) {
      for (const { startedAt, answer, outcome } of attempts) {
        this.#add(webhook, event.type, startedAt, outcome.verdict === 'SUCCEEDED', answer.latencyMs);
      }
    }
  }

  /** Adds deliveries from before the kept ones, up to a month ago, with one attempt each. */
  addEarlier(
    chance: Chance,
    webhook: MadeWebhook,
    endpoint: SeededEndpoint,
    perDay: number,
    untilHoursAgo: number,
  ): void {
    const firstHour = Math.min(STATS_DAYS, endpoint.createdDaysAgo) * 24;
    for (let hoursAgo = Math.floor(firstHour); hoursAgo > untilHoursAgo; hoursAgo--) {
      const at = this.now - hoursAgo * HOUR_MS;
      for (let left = chance.count((perDay / 24) * busyness(this.now - at)); left > 0; left--) {
        const { name } = pickType(chance);
        if (matches(endpoint.eventTypes, name)) {
          const answer = endpoint.behaves(chance, hoursAgo, '');
          const succeeded = answer.kind === 'response' && answer.status < 300;
          this.#add(webhook, name, at, succeeded, answer.latencyMs);
        }
      }
    }
  }

  #add(webhook: MadeWebhook, type: string, at: number, succeeded: boolean, ms: number): void {
    const resolution = at >= this.#minutesFrom ? 'MINUTE' : 'HOUR';
    const length = resolution === 'MINUTE' ? MINUTE_MS : HOUR_MS;
    const bucket = new Date(Math.floor(at / length) * length).toISOString();
    const key = `${webhook.id} ${type} ${bucket}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = {
        tenant_id: webhook.tenantId,
        webhook_id: webhook.id,
        event_type: type,
        resolution,
        bucket,
        successes: 0,
        failures: 0,
        latency_histogram: new Array<number>(LATENCY_BUCKETS).fill(0),
      };
      this.#rows.set(key, row);
    }
    row[succeeded ? 'successes' : 'failures'] += 1;
    row.latency_histogram[latencyBucket(ms)]! += 1;
  }

  async write(pool: pg.Pool): Promise<void> {
    await pool.query(
      `insert into hookwright.delivery_stats
       select * from json_populate_recordset(null::hookwright.delivery_stats, $1)`,
      [JSON.stringify([...this.#rows.values()])],
    );
    await pool.query(sumsSql);
    await pool.query(
      `update hookwright.stats_progress
       set minutes_until = $1, hours_until = $1, minutes_from = $1, days_until = $2, hours_from = $2`,
      [new Date(this.#minutesFrom), new Date(Math.floor(this.now / (24 * HOUR_MS) - STATS_DAYS - 1) * 24 * HOUR_MS)],
    );
    await rollUpStats(pool);
  }
}

const histogram = Array.from({ length: LATENCY_BUCKETS }, (_, at) => `sum(latency_histogram[${at + 1}])`);
/** Over webhooks, over event types, and over both. */
const sumsSql = `
  insert into hookwright.delivery_stats
    (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
  select tenant_id, coalesce(webhook_id, 0), coalesce(event_type, ''), resolution, bucket, sum(successes), sum(failures),
         array[${histogram.join(', ')}]::integer[]
  from hookwright.delivery_stats where resolution = 'HOUR'
  group by tenant_id, resolution, bucket, cube (webhook_id, event_type)
  having grouping(webhook_id, event_type) > 0`;
