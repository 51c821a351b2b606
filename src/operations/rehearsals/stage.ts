import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { LANES } from '../../domain/pacing/lanes.js';
import type { FinishedAttempt } from '../attempts/finished-attempt.js';
import { type DueDelivery, loadDeliveries } from '../attempts/load-deliveries.js';
import { recordSuccesses } from '../attempts/record-successes.js';
import { Emitter } from '../emits/emit-events.js';
import type { ClaimedJob } from '../emits/local-daemon.js';

/** A tenant with a webhook, in a transaction of one connection that is rolled back: nobody else sees them. */
export interface Stage {
  tenantId: number;
  eventType: string;
  emitter: Emitter;
  /** Loads and records what was emitted since this was called last, as a daemon does. */
  deliver(): Promise<void>;
}

/** Ids beyond all that their sequences give. */
const ID_MIN = 2 ** 52;
const LOCK_WAIT_MS = 1_000;

/**
 * Plays on several connections at the same time, so that their statements are planned and their caches are filled.
 *
 * @param options.delivers whether this process has the daemon's rights
 * @throws what `play` or the database throws, after everything is rolled back
 */
export async function onStages(
  pool: pg.Pool,
  { stages, delivers }: { stages: number; delivers: boolean },
  play: (stages: readonly Stage[]) => Promise<void>,
): Promise<void> {
  const clients = await Promise.all(Array.from({ length: stages }, () => pool.connect()));
  try {
    await play(await Promise.all(clients.map((client) => setUp(client, delivers))));
  } finally {
    await Promise.all(
      clients.map((client) =>
        client.query('rollback').then(
          () => client.release(),
          (error: Error) => client.release(error),
        ),
      ),
    );
  }
}

async function setUp(client: pg.PoolClient, delivers: boolean): Promise<Stage> {
  const tenantId = ID_MIN + randomBytes(6).readUIntBE(0, 6);
  const eventType = `rehearsal.of_${tenantId}`;
  const actFor = (id: number) => client.query(`select set_config('app.tenant', $1, true)`, [`${id}`]);
  await client.query('begin');
  await actFor(0);
  await client.query(
    `insert into hookwright.event_types (name, description, schema) values ($1, 'A rehearsal', '{}')`,
    [eventType],
  );
  await actFor(tenantId);
  await client.query(`insert into hookwright.tenants (id, name, data_key, data_key_kid) values ($1, $2, '', '')`, [
    tenantId,
    eventType,
  ]);
  await client.query(
    `insert into hookwright.webhooks (id, tenant_id, url, event_types, sealed_secret)
     values ($1::bigint, $1, 'https://rehearsal.invalid/', '{*}', '')`,
    [tenantId],
  );
  // Everything goes over this connection: what has the form of a pool's method is the connection's, too.
  const emitter = new Emitter(client as unknown as pg.Pool);
  const claimed: ClaimedJob[] = [];
  if (delivers) {
    emitter.claimFor({
      claim: () => ({
        pool: client as unknown as pg.Pool,
        workerPoolId: 'rehearsal',
        priorityMax: LANES.FIRST.priority,
        deliveriesMax: 1,
        begin: (jobs) => void claimed.push(...jobs),
      }),
      inPace: (_tenantId, _deliveries, emit) => emit(),
    });
  }
  return { tenantId, eventType, emitter, deliver: () => deliver(client as unknown as pg.Pool, claimed.splice(0)) };
}

async function deliver(pool: pg.Pool, jobs: readonly ClaimedJob[]): Promise<void> {
  const due = jobs.flatMap(({ payload }) => [...(payload.loaded?.deliveries.values() ?? [])]);
  if (due.length > 0) {
    await loadDeliveries(
      pool,
      due.map(({ id }) => ({ id, attempt: 1 })),
    );
    await recordSuccesses(pool, due.map(succeeded), LOCK_WAIT_MS);
  }
}

function succeeded(delivery: DueDelivery): FinishedAttempt {
  return {
    delivery,
    startedAt: new Date(),
    startedAtMs: performance.now(),
    isSameClosing: false,
    endedAtMs: performance.now(),
    requestHeaders: { 'content-type': 'application/json' },
    result: {
      kind: 'response',
      statusCode: 200,
      headers: {},
      body: Buffer.alloc(0),
      bodyTruncated: false,
      durationMs: 1,
    },
    outcome: { verdict: 'SUCCEEDED' },
    retryInMs: null,
  };
}
