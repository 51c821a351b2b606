import { setTimeout as delay } from 'node:timers/promises';
import { Histogram } from '../histogram.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { besideSteadyLoad, faultsOf, latencyFigures, type SteadyLoadOf, warmUpSteadily } from '../steady.js';
import { sumOf } from '../sum.js';

const RATE_PER_SECOND = 200;
const ANSWER_MS = 100;
const GROUP = 'near';

/**
 * An endpoint that is healthy and has room takes 100 ms for each answer, as most do that are not in the same house. In turns
 * with that it is instant: instant, near, near, instant, each for --seconds, after two seconds that do not count. The
 * figures are those of the near one, `instant…` those of the other. The answer's time is not in the latency: what it is
 * longer by, the service makes its emits wait for the answers to others.
 */
export const near: Scenario = {
  name: 'near',
  title: `${RATE_PER_SECOND} emits a second to an endpoint that takes ${ANSWER_MS} ms, and in turns to an instant one`,
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, GROUP, 1);
    await warmUp(rig, service, GROUP, warmUpLoad);
    const load = { service, group: GROUP, ratePerSecond: RATE_PER_SECOND };
    return async () => {
      const before = await measureWith(rig, load, 0);
      const near = sumOf([await measureWith(rig, load, ANSWER_MS), await measureWith(rig, load, ANSWER_MS)]);
      const instant = sumOf([before, await measureWith(rig, load, 0)]);
      const { lost, unrecorded, duplicates, signaturesWrong } = sumOf([near, instant]);
      return { ...near, lost, unrecorded, duplicates, signaturesWrong, details: comparison(near, instant) };
    };
  },
};

async function measureWith(rig: Rig, load: SteadyLoadOf, answerMs: number): Promise<Measurement> {
  await rig.receiver.call('delay', { group: GROUP, ms: answerMs });
  await warmUpSteadily(rig, load);
  await rig.receiver.call('reset', null);
  const before = await rig.cpu();
  const startedAt = performance.now();
  const { steady } = await besideSteadyLoad(rig, load, () => delay(1000 * rig.seconds));
  const { receipts, latency, lost, unrecorded } = steady;
  return {
    deliveries: receipts.deliveries,
    seconds: (performance.now() - startedAt) / 1000,
    cpu: cpuBetween(before, await rig.cpu()),
    latency,
    lost,
    unrecorded,
    ...faultsOf(receipts),
    details: {},
  };
}

function comparison(near: Measurement, instant: Measurement): Record<string, number> {
  const summaryOf = ({ latency }: Measurement) => Histogram.from(latency!).summary();
  const [ofNear, ofInstant] = [summaryOf(near), summaryOf(instant)];
  return {
    ...latencyFigures('instant', ofInstant),
    p50DifferenceMs: (ofNear?.p50Ms ?? Number.NaN) - (ofInstant?.p50Ms ?? Number.NaN),
    p99DifferenceMs: (ofNear?.p99Ms ?? Number.NaN) - (ofInstant?.p99Ms ?? Number.NaN),
  };
}
