import { setTimeout as delay } from 'node:timers/promises';
import { recoverWebhook } from '../client.js';
import type { Service } from '../installation.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { seedFailed } from '../seed.js';
import { besideSteadyLoad, faultsOf, latencyFigures, type SteadyLoadOf, warmUpSteadily } from '../steady.js';

const DELIVERIES = 100_000;
const RECOVERED_EVENT_TYPE = 'voucher.emitted';
const RATE_PER_SECOND = 100;
const BULK = 'bulk';
const FRESH = 'fresh';
const DRAIN_TIMEOUT_MS = 280_000;

/**
 * 100,000 failed deliveries of one webhook are sent again by `recoverWebhook`, while fresh traffic goes to another one
 * of the same tenant. First the fresh traffic is measured alone, for three times --seconds, then beside the recovery
 * from its start until the last one has arrived. The latency is that of the fresh traffic beside it, the rate that of
 * the recovery.
 */
export const bulk: Scenario = {
  name: 'bulk',
  title: `${DELIVERIES.toLocaleString('en')} deliveries recovered, beside ${RATE_PER_SECOND} fresh emits a second to another webhook`,
  runs: 1,
  async prepare(rig) {
    const service = await rig.installation.start();
    const [webhookId] = await rig.subscribe(service, BULK, 1, { eventType: RECOVERED_EVENT_TYPE });
    await rig.subscribe(service, FRESH, 1);
    await warmUp(rig, service, FRESH, warmUpLoad);
    const fresh = { service, group: FRESH, ratePerSecond: RATE_PER_SECOND };
    await warmUpSteadily(rig, fresh);
    return () => measure(rig, fresh, webhookId!);
  },
};

async function measure(rig: Rig, fresh: SteadyLoadOf, webhookId: number): Promise<Measurement> {
  const seedSeconds = await seedFailed(await rig.database(), {
    webhookId,
    eventType: RECOVERED_EVENT_TYPE,
    deliveries: DELIVERIES,
  });
  await rig.receiver.call('reset', null);
  const { steady: alone } = await besideSteadyLoad(rig, fresh, () => delay(3000 * rig.seconds));

  await rig.receiver.call('reset', null);
  const before = await rig.cpu();
  const { result, steady } = await besideSteadyLoad(rig, fresh, () => recover(rig, fresh.service, webhookId));
  const unrecorded = await rig.unrecorded();
  const cpu = cpuBetween(before, await rig.cpu());
  const receipts = await rig.receiver.call('report', BULK);
  return {
    deliveries: receipts.deliveries,
    seconds: result.seconds,
    cpu,
    latency: steady.latency,
    lost: DELIVERIES - receipts.deliveries + steady.lost + alone.lost,
    unrecorded: unrecorded + alone.unrecorded,
    ...faultsOf(receipts, steady.receipts, alone.receipts),
    details: {
      ...latencyFigures('alone', alone.summary),
      aloneGeneratorLateMaxMs: alone.generatorLateMaxMs,
      p50Ratio: (steady.summary?.p50Ms ?? Number.NaN) / (alone.summary?.p50Ms ?? Number.NaN),
      p99Ratio: (steady.summary?.p99Ms ?? Number.NaN) / (alone.summary?.p99Ms ?? Number.NaN),
      startAnswerMs: result.answerMs,
      freshDeliveries: steady.receipts.deliveries,
      freshEmitAnswerP99Ms: steady.answerP99Ms,
      generatorLateMaxMs: steady.generatorLateMaxMs,
      seedSeconds,
    },
  };
}

/** Starts the recovery, and waits until the last delivery has arrived. */
async function recover(rig: Rig, service: Service, webhookId: number) {
  const startedAt = performance.now();
  const count = await recoverWebhook(service, webhookId, new Date(0));
  const answerMs = performance.now() - startedAt;
  if (count !== DELIVERIES) {
    throw new Error(`recoverWebhook found ${count} deliveries instead of ${DELIVERIES}`);
  }
  const timeoutMs = DRAIN_TIMEOUT_MS;
  await rig.receiver.call('reached', { group: BULK, deliveries: DELIVERIES, timeoutMs });
  return { answerMs, seconds: (performance.now() - startedAt) / 1000 };
}
