import type { BenchDatabase } from '../database.js';
import type { Service } from '../installation.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { type Measurement, type Scenario, tooFewDelivered } from '../scenario.js';
import { seedRetries } from '../seed.js';
import { besideSteadyLoad, faultsOf } from '../steady.js';

const RETRIES = 50_000;
const RETRIED_EVENT_TYPE = 'voucher.emitted';
const RATE_PER_SECOND = 50;
const HERD = 'herd';
const FRESH = 'fresh';
/** So that requests in flight are seen at all: those that are answered at once are never two at a time. */
const ANSWER_MS = 10;
const START_TIMEOUT_MS = 30_000;
const DRAIN_TIMEOUT_MS = 90_000;

/**
 * An endpoint comes back after an outage: 50,000 retries for it are due when the daemon starts, with an API process
 * beside it. It answers after 10 ms, so with 64 in flight it takes at most 6,400 a second. The fresh traffic, to another
 * webhook of the same tenant, begins with the first retry's arrival and ends with the last one's: the daemon is as
 * cold as after any start. The latency is that of the fresh traffic, the rate that of the retries.
 */
export const herd: Scenario = {
  name: 'herd',
  title: `${RETRIES.toLocaleString('en')} due retries for one endpoint, ${RATE_PER_SECOND} fresh emits a second to another`,
  async prepare(rig) {
    const { installation } = rig;
    const database = await installation.stopAllInOne(await installation.start());
    const service = await installation.startApi();
    const [webhookId] = await rig.subscribe(service, HERD, 1, { eventType: RETRIED_EVENT_TYPE });
    await rig.subscribe(service, FRESH, 1);
    await rig.receiver.call('delay', { group: HERD, ms: ANSWER_MS });
    return () => measure(rig, service, database, webhookId!);
  },
};

async function measure(rig: Rig, service: Service, database: BenchDatabase, webhookId: number): Promise<Measurement> {
  await rig.receiver.call('reset', null);
  const seedSeconds = await seedRetries(database, {
    webhookId,
    eventType: RETRIED_EVENT_TYPE,
    deliveries: RETRIES,
    perEvent: 1,
    dueFrom: 0,
    dueUntil: 0,
  });
  const before = await rig.cpu();
  const daemon = await rig.installation.startDaemon();
  const reached = (deliveries: number, timeoutMs: number) =>
    rig.receiver.call('reached', { group: HERD, deliveries, timeoutMs });
  const startedAt = await reached(1, START_TIMEOUT_MS);
  if (startedAt === null) {
    throw tooFewDelivered(daemon, 0);
  }
  const fresh = { service, group: FRESH, ratePerSecond: RATE_PER_SECOND };
  const { result: arrivedAt, steady } = await besideSteadyLoad(rig, fresh, () => reached(RETRIES, DRAIN_TIMEOUT_MS));
  const unrecorded = await rig.unrecorded();
  // The process that has just started is counted from its start: before it, it had used nothing.
  const cpu = cpuBetween(before, await rig.cpu());
  const receipts = await rig.receiver.call('report', HERD);
  const details = { daemonPeakMemoryMiB: rig.peakMemoryOf(daemon), daemonWarnings: daemon.warnings };
  await rig.installation.stop(daemon);
  return {
    deliveries: receipts.deliveries,
    seconds: ((arrivedAt ?? receipts.lastAt) - startedAt) / 1_000_000,
    cpu,
    latency: steady.latency,
    lost: RETRIES - receipts.deliveries + steady.lost,
    unrecorded,
    ...faultsOf(receipts, steady.receipts),
    details: {
      ...details,
      herdInFlightMax: receipts.inFlightMax,
      freshDeliveries: steady.receipts.deliveries,
      freshEmitAnswerP99Ms: steady.answerP99Ms,
      generatorLateMaxMs: steady.generatorLateMaxMs,
      seedSeconds,
    },
  };
}
