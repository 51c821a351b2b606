import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../installation.js';
import type { Load, LoadReport } from '../load.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { besideSteadyLoad, faultsOf, latencyFigures, type SteadyLoadOf, warmUpSteadily } from '../steady.js';

const WEBHOOKS = 100;
const BATCH = 100;
const CLIENTS = 3;
const BURST_REQUESTS = 5;
const oneBurst = { concurrency: BURST_REQUESTS, requestsMax: BURST_REQUESTS, seconds: 60 } as const;
const RATE_PER_SECOND = 10;
const NOISY = 'noisy';
const QUIET = 'quiet';
const DRAIN_TIMEOUT_MS = 180_000;
/** Times --seconds: as long does tenant B emit alone, and do the clients emit. */
const EMIT_SECONDS = 3;

/**
 * Tenant A has 100 webhooks, each for every event, so that a request of 100 events makes 10,000 deliveries. Tenant B has one
 * webhook, and emits an event each 100 ms: beside three clients of A, each of which sends its next request when the last
 * one is answered; then beside a burst of five requests of A at once, until all of it has arrived. The latency is B's beside
 * the clients, `burst…` beside the burst, `alone…` without A.
 */
export const fanoutNoisy: Scenario = {
  name: 'fanout-noisy',
  title: `one tenant emits ${BATCH} events to ${WEBHOOKS} webhooks at a time, another one ${RATE_PER_SECOND} a second to one`,
  runs: 1,
  async prepare(rig) {
    const a = await rig.installation.start();
    const b = { ...a, apiKey: await rig.installation.makeTenant('quiet') };
    await rig.subscribe(a, NOISY, WEBHOOKS);
    await rig.subscribe(b, QUIET, 1);
    await warmUp(rig, a, NOISY, { what: BATCH, concurrency: 1, requestsMax: 2, seconds: 60 });
    await warmUp(rig, b, QUIET, warmUpLoad);
    const steadily = { service: b, group: QUIET, ratePerSecond: RATE_PER_SECOND };
    await warmUpSteadily(rig, steadily);
    return () => measure(rig, a, steadily);
  },
};

async function measure(rig: Rig, a: Service, steadily: SteadyLoadOf): Promise<Measurement> {
  const seconds = EMIT_SECONDS * rig.seconds;
  await rig.receiver.call('reset', null);
  const { steady: alone } = await besideSteadyLoad(rig, steadily, () => delay(1000 * seconds));
  const before = await rig.cpu();
  const clients = await besideEmits(rig, a, steadily, { concurrency: CLIENTS, seconds }, 'answered');
  const cpu = cpuBetween(before, await rig.cpu());
  const burst = await besideEmits(rig, a, steadily, oneBurst, 'arrived');
  return {
    deliveries: clients.receipts.deliveries + clients.steady.receipts.deliveries,
    seconds: clients.drainedSeconds,
    cpu,
    latency: clients.steady.latency,
    lost: clients.lost + burst.lost + alone.lost,
    unrecorded: clients.unrecorded + burst.unrecorded + alone.unrecorded,
    ...faultsOf(...[clients, burst].flatMap((one) => [one.receipts, one.steady.receipts]), alone.receipts),
    details: {
      quietEmitAnswerP50Ms: clients.steady.answerP50Ms,
      quietEmitAnswerP99Ms: clients.steady.answerP99Ms,
      clientsEmittedDeliveries: clients.deliveries,
      clientsDrainedAfterSeconds: clients.drainedSeconds,
      ...latencyFigures('burst', burst.steady.summary),
      burstQuietEmitAnswerP50Ms: burst.steady.answerP50Ms,
      burstQuietEmitAnswerP99Ms: burst.steady.answerP99Ms,
      burstAcceptedAfterSeconds: burst.acceptedSeconds,
      burstDrainedAfterSeconds: burst.drainedSeconds,
      ...latencyFigures('alone', alone.summary),
      aloneEmitAnswerP50Ms: alone.answerP50Ms,
      generatorLateMaxMs: clients.steady.generatorLateMaxMs,
    },
  };
}

/** Tenant A emits, and B emits beside it until A's requests are answered, or all that A emitted has arrived. */
async function besideEmits(
  rig: Rig,
  a: Service,
  steadily: SteadyLoadOf,
  load: Pick<Load, 'concurrency' | 'requestsMax' | 'seconds'>,
  until: 'answered' | 'arrived',
) {
  await rig.receiver.call('reset', null);
  const arrival = ({ deliveries }: LoadReport) =>
    rig.receiver.call('reached', { group: NOISY, deliveries, timeoutMs: DRAIN_TIMEOUT_MS });
  const { result: emitted, steady } = await besideSteadyLoad(rig, steadily, async () => {
    const report = await rig.emitBeside(a, { what: BATCH, ...load });
    if (until === 'arrived') {
      await arrival(report);
    }
    return report;
  });
  const arrivedAt = await arrival(emitted);
  const unrecorded = await rig.unrecorded();
  const receipts = await rig.receiver.call('report', NOISY);
  return {
    steady,
    receipts,
    unrecorded,
    deliveries: emitted.deliveries,
    lost: emitted.deliveries - receipts.deliveries + steady.lost,
    acceptedSeconds: (emitted.endedAt - emitted.startedAt) / 1_000_000,
    drainedSeconds: ((arrivedAt ?? receipts.lastAt) - emitted.startedAt) / 1_000_000,
  };
}
