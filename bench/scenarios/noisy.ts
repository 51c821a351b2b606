import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../installation.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { type Measurement, type Scenario, warmUp } from '../scenario.js';
import { besideSteadyLoad, faultsOf, latencyFigures, type SteadyLoadOf, warmUpSteadily } from '../steady.js';

const BURST = 50_000;
const BATCH = 100;
const burst = { what: BATCH, concurrency: 4, requestsMax: BURST / BATCH, seconds: 60 } as const;
const RATE_PER_SECOND = 50;
const NOISY = 'noisy';
const QUIET = 'quiet';
const DRAIN_TIMEOUT_MS = 90_000;
const WARM_UP_SECONDS = 3;

/**
 * Tenant A emits 50,000 events at once, as fast as they are accepted; tenant B emits 50 a second from before the
 * burst's first emit until its last delivery has arrived. The latency is B's, `alone…` B's without A.
 */
export const noisy: Scenario = {
  name: 'noisy',
  title: `one tenant emits ${BURST.toLocaleString('en')} at once, another one ${RATE_PER_SECOND} a second`,
  async prepare(rig) {
    const a = await rig.installation.start();
    const b = { ...a, apiKey: await rig.installation.makeTenant('quiet') };
    await rig.subscribe(a, NOISY, 1);
    await rig.subscribe(b, QUIET, 1);
    await warmUp(rig, a, NOISY, { what: BATCH, concurrency: 2, seconds: WARM_UP_SECONDS });
    await warmUp(rig, b, QUIET, { what: 'emit', concurrency: 16, seconds: WARM_UP_SECONDS });
    const steadily = { service: b, group: QUIET, ratePerSecond: RATE_PER_SECOND };
    await warmUpSteadily(rig, steadily);
    return () => measure(rig, a, steadily);
  },
};

async function measure(rig: Rig, a: Service, steadily: SteadyLoadOf): Promise<Measurement> {
  await rig.receiver.call('reset', null);
  const { steady: alone } = await besideSteadyLoad(rig, steadily, () => delay(2000 * rig.seconds));

  await rig.receiver.call('reset', null);
  const before = await rig.cpu();
  const { result, steady } = await besideSteadyLoad(rig, steadily, async () => {
    const emitted = await rig.emitBeside(a, burst);
    const goal = { group: NOISY, deliveries: emitted.deliveries, timeoutMs: DRAIN_TIMEOUT_MS };
    return { emitted, arrivedAt: await rig.receiver.call('reached', goal) };
  });
  const unrecorded = await rig.unrecorded();
  const cpu = cpuBetween(before, await rig.cpu());
  const { emitted, arrivedAt } = result;
  const receipts = await rig.receiver.call('report', NOISY);
  return {
    deliveries: receipts.deliveries + steady.receipts.deliveries,
    seconds: ((arrivedAt ?? receipts.lastAt) - emitted.startedAt) / 1_000_000,
    cpu,
    latency: steady.latency,
    lost: emitted.deliveries - receipts.deliveries + steady.lost + alone.lost,
    unrecorded: unrecorded + alone.unrecorded,
    ...faultsOf(receipts, steady.receipts, alone.receipts),
    details: {
      ...latencyFigures('alone', alone.summary),
      aloneGeneratorLateMaxMs: alone.generatorLateMaxMs,
      quietDeliveries: steady.receipts.deliveries,
      burstAcceptedPerSecond: emitted.events / ((emitted.endedAt - emitted.startedAt) / 1_000_000),
      burstDrainedAfterSeconds: ((arrivedAt ?? Number.NaN) - emitted.startedAt) / 1_000_000,
      quietEmitAnswerP99Ms: steady.answerP99Ms,
      generatorLateMaxMs: steady.generatorLateMaxMs,
    },
  };
}
