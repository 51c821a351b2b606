import type { BenchDatabase } from '../database.js';
import { EVENT_TYPE, payloadAt } from '../payload.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { checksOf, type Measurement, type Scenario, tooFewDelivered } from '../scenario.js';

const WEBHOOKS = 10;
const DELIVERIES = 50_000;
/** Delivered by the same process before, while its code is being compiled; not counted. */
const WARM_UP_DELIVERIES = 15_000;
/** Events of one statement share jobs, as with `emitEvents`. */
const EVENTS_PER_STATEMENT = 100;
const TIMEOUT_MS = 120_000;
const GROUP = 'drain';

const title = `${DELIVERIES.toLocaleString('en')} due deliveries already in the tables, ${WEBHOOKS} webhooks, the daemon alone`;

export const drain: Scenario = {
  name: 'drain',
  title,
  async prepare(rig) {
    const measured = await prepareDrain(rig);
    return () => measured();
  },
};

/** @returns a measurement, which may have other work beside it */
export async function prepareDrain(rig: Rig): Promise<(beside?: Beside) => Promise<Measurement>> {
  const service = await rig.installation.start();
  const webhookIds = await rig.subscribe(service, GROUP, WEBHOOKS);
  const database = await rig.installation.stopAllInOne(service);
  return (beside) => measure(rig, database, webhookIds, beside);
}

/** Work of the daemon beside the deliveries. */
interface Beside {
  /** Puts it into the tables, before the daemon starts. */
  begin(database: BenchDatabase): Promise<unknown>;
  /** Ends it, and says how much of it was done. */
  end(database: BenchDatabase): Promise<Record<string, number>>;
}

async function measure(rig: Rig, database: BenchDatabase, webhookIds: number[], beside?: Beside): Promise<Measurement> {
  const deliveries = WARM_UP_DELIVERIES + DELIVERIES;
  await rig.receiver.call('reset', null);
  await fill(database, webhookIds, deliveries);
  await beside?.begin(database);
  const daemon = await rig.installation.startDaemon();
  const reached = (count: number) =>
    rig.receiver.call('reached', { group: GROUP, deliveries: count, timeoutMs: TIMEOUT_MS });
  const startedAt = await reached(WARM_UP_DELIVERIES);
  const before = await rig.cpu();
  const arrivedAt = await reached(deliveries);
  const unrecorded = await rig.unrecorded();
  const cpu = cpuBetween(before, await rig.cpu());
  const details = {
    daemonPeakMemoryMiB: rig.peakMemoryOf(daemon),
    daemonWarnings: daemon.warnings,
    ...(await beside?.end(database)),
  };
  const receipts = await rig.receiver.call('report', GROUP);
  if (startedAt === null) {
    throw tooFewDelivered(daemon, receipts.deliveries);
  }
  await rig.installation.stop(daemon);
  return {
    deliveries: receipts.deliveries - WARM_UP_DELIVERIES,
    seconds: ((arrivedAt ?? receipts.lastAt) - startedAt) / 1_000_000,
    cpu,
    latency: null,
    lost: deliveries - receipts.deliveries,
    unrecorded,
    ...checksOf(receipts),
    details,
  };
}

/** Emits with nobody there to deliver: each event is for one webhook. */
async function fill(database: BenchDatabase, webhookIds: number[], deliveries: number): Promise<void> {
  const body = JSON.stringify(payloadAt(0));
  for (let done = 0; done < deliveries; done += EVENTS_PER_STATEMENT) {
    await database.pool.query(
      `select count(*) from hookwright.emit_events(
         array_fill((select tenant_id from hookwright.webhooks where id = $4), array[$1::integer]),
         array_fill($2::text, array[$1]), array_fill($3::text, array[$1]), null,
         (select array_agg(($5::bigint[])[1 + n % cardinality($5::bigint[])] order by n)
          from generate_series(1, $1) n), schema_checked => true)`,
      [Math.min(EVENTS_PER_STATEMENT, deliveries - done), EVENT_TYPE, body, webhookIds[0], webhookIds],
    );
  }
  await database.pool.query('analyze');
}
