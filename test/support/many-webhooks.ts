import { afterAll, beforeAll } from 'vitest';
import { type SearchDeps, SearchSlots } from '../../src/operations/explorer/search.js';
import { type Database, openDatabase } from '../../src/platform/database/database.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { createTestDatabase } from './database.js';
import { onServer } from './on-server.js';

/** Webhooks have the numbers from 1 on; those of the largest tenant are even. */
const WEBHOOKS = 40_000;
const DAYS = 4;
/** The largest tenant has as many webhooks as all others together. */
export const LARGEST = 1;

const fill = [
  `select hookwright.make_partition(parent, current_date - ago)
   from generate_series(0, ${DAYS}) ago, unnest(array['events', 'deliveries', 'attempts']) parent`,
  `insert into hookwright.tenants (id, name, data_key, data_key_kid)
   select n, 'Customer ' || n, '', 'x' from generate_series(1, 1000) n`,
  // Of each thousand ten are disabled, five fail, and ten are paused.
  `insert into hookwright.webhooks (id, tenant_id, url, event_types, sealed_secret, active, consecutive_failures,
                                    disabled_at, disabled_reason, failing_since, streak_began_at, last_failure_at)
   select n, case when n % 2 = 0 then ${LARGEST} else 2 + n / 2 % 999 end, 'https://example.com/' || n, '{*}', '',
          not (state < 10 or state >= 15 and state < 25), case when state < 10 then 10 when state < 15 then 3 else 0 end,
          case when state < 10 or state >= 15 and state < 25 then now() - n * interval '1 second' end,
          case when state < 1 then 'GONE' when state < 10 then 'FAILURES'
               when state >= 15 and state < 25 then 'PAUSED' end::hookwright.disabled_reason,
          failed_at, failed_at, failed_at
   from (select n, n * 7919 % 1000 as state,
                case when n * 7919 % 1000 < 15 then now() - n * interval '1 second' end as failed_at
         from generate_series(1, ${WEBHOOKS}) n) made`,
  `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at, attempt_count)
   select (hookwright.id_at(now() - (n % ${DAYS}) * interval '1 day' - n * interval '1 ms') | n % 4096), w.tenant_id, 1,
          w.id, 'a.b',
          case when w.active then case when n % 101 = 0 then 'PENDING' else 'SUCCEEDED' end
               when n % 5 = 0 then 'HELD' else 'FAILED' end::hookwright.delivery_status,
          now() + (n % 3 - 1) * interval '1 hour', 1
   from generate_series(1, ${2 * WEBHOOKS}) n join hookwright.webhooks w on w.id = 1 + n * 17 % ${WEBHOOKS}`,
  // An hour and some minutes of each webhook; the sums of all event types have none.
  `insert into hookwright.delivery_stats
     (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
   select w.tenant_id, w.id, case resolution when 'HOUR' then '' else 'a.b' end, resolution,
          case resolution when 'HOUR' then date_trunc('hour', now()) - interval '3 hours'
                          else date_trunc('minute', now()) - (w.id % 600) * interval '1 minute' end,
          1 + w.id, w.id % 7, array_fill(1, array[24])
   from hookwright.webhooks w, unnest(array['HOUR', 'MINUTE']) as resolution`,
  `update hookwright.stats_progress set minutes_until = date_trunc('minute', now()) - interval '1 minute',
     hours_until = date_trunc('hour', now()) - interval '1 hour', days_until = date_trunc('day', now()) - interval '1 day'`,
];

/** Some of them, of the largest tenant. */
export const webhookIds = Array.from({ length: 100 }, (_, index) => WEBHOOKS - 2 * index);
export const tenantIds = [LARGEST, ...Array.from({ length: 49 }, (_, index) => 1_000 - index)];

/** A database for the tests of a file, with so many webhooks that nobody wants to read all, and their indexes. */
export class ManyWebhooks {
  #database: Awaited<ReturnType<typeof createTestDatabase>> | undefined;
  /** With the API's rights. */
  db!: Database;

  /** @param statements that fill it with something else */
  constructor(statements: readonly string[] = fill) {
    beforeAll(async () => {
      this.#database = await createTestDatabase();
      await onServer(this.#database.url, async (client) => {
        for (const sql of statements) {
          await client.query(sql);
        }
        await client.query(
          'vacuum (analyze) hookwright.tenants, hookwright.webhooks, hookwright.deliveries, hookwright.delivery_stats, hookwright.audit_log',
        );
      });
      this.db = await openDatabase(this.#database.url, { role: API_ROLE, poolMax: 2, onError: () => {} });
    });
    afterAll(async () => {
      await this.db.close();
      await this.#database?.drop();
    });
  }

  get deps(): SearchDeps {
    return { db: this.db, searches: new SearchSlots(10, 10_000) };
  }

  /** As the owner of the tables. */
  async rows<Row extends object>(sql: string): Promise<Row[]> {
    let found: Row[] = [];
    await onServer(this.#database!.url, async (client) => {
      ({ rows: found } = await client.query<Row>(sql));
    });
    return found;
  }
}
