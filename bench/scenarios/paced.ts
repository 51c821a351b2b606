import { Histogram } from '../histogram.js';
import type { Service } from '../installation.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { ARRIVAL_TIMEOUT_MS, type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { besideSteadyLoad, faultsOf, latencyFigures, type SteadyLoadOf, warmUpSteadily } from '../steady.js';
import { sumOf } from '../sum.js';

const RATE_PER_SECOND = 100;
const FAST = 'fast';
const WEBHOOKS = 200;
const EACH_PER_SECOND = 5;
/** Length of each phase for each of --seconds. */
const PHASE_SECONDS = 2.5;
const WARM_UP_SECONDS = 3;

/** A tenant with 200 webhooks that all get its events. */
interface Crowd {
  service: Service;
  group: string;
}

/**
 * 100 events a second go to an endpoint without a rate, beside a tenant that sends 5 a second to each of its 200
 * endpoints. Either these have a rate of 5 a second or they have none: without, with, with, without, for 2.5 times
 * --seconds each. The figures are those of the endpoint without a rate beside rates, `free…` beside none.
 */
export const paced: Scenario = {
  name: 'paced',
  title: `${RATE_PER_SECOND} emits a second to one endpoint, beside ${WEBHOOKS} with a rate of ${EACH_PER_SECOND}/s, or none`,
  settings: { WEBHOOKS_PER_TENANT_MAX: `${WEBHOOKS}` },
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, FAST, 1);
    const crowd = async (group: string, ratePerSecond?: number): Promise<Crowd> => {
      const own = { ...service, apiKey: await rig.installation.makeTenant(group) };
      await rig.subscribe(own, group, WEBHOOKS, { ratePerSecond });
      return { service: own, group };
    };
    const free = await crowd('free');
    const rated = await crowd('rated', EACH_PER_SECOND);
    await warmUp(rig, service, FAST, warmUpLoad);
    const fast = { service, group: FAST, ratePerSecond: RATE_PER_SECOND };
    await warmUpSteadily(rig, fast);
    for (const each of [free, rated]) {
      await measureBeside(rig, fast, each, WARM_UP_SECONDS);
    }
    return () => measure(rig, fast, free, rated);
  },
};

async function measure(rig: Rig, fast: SteadyLoadOf, free: Crowd, rated: Crowd): Promise<Measurement> {
  const phase = (crowd: Crowd) => measureBeside(rig, fast, crowd, PHASE_SECONDS * rig.seconds);
  const before = await phase(free);
  const paced = sumOf([await phase(rated), await phase(rated)]);
  const unpaced = sumOf([before, await phase(free)]);
  const { lost, unrecorded, duplicates, signaturesWrong } = sumOf([paced, unpaced]);
  const summaryOf = ({ latency }: Measurement) => Histogram.from(latency!).summary();
  const ofFree = summaryOf(unpaced);
  const p99Ratio = (summaryOf(paced)?.p99Ms ?? Number.NaN) / (ofFree?.p99Ms ?? Number.NaN);
  const details = { ...latencyFigures('free', ofFree), p99Ratio };
  return { ...paced, lost, unrecorded, duplicates, signaturesWrong, details };
}

/** Emits to both until that long is over and all has arrived. The latency is that of the fast one. */
async function measureBeside(rig: Rig, fast: SteadyLoadOf, crowd: Crowd, seconds: number): Promise<Measurement> {
  const { service, group } = crowd;
  await rig.receiver.call('reset', null);
  const before = await rig.cpu();
  const startedAt = performance.now();
  const { result, steady } = await besideSteadyLoad(rig, fast, () =>
    rig.emitBeside(service, { what: 'emit', ratePerSecond: EACH_PER_SECOND, seconds }),
  );
  const { deliveries } = result;
  await rig.receiver.call('reached', { group, deliveries, timeoutMs: ARRIVAL_TIMEOUT_MS });
  const unrecorded = await rig.unrecorded();
  const receipts = await rig.receiver.call('report', group);
  return {
    deliveries: receipts.deliveries + steady.receipts.deliveries,
    seconds: (performance.now() - startedAt) / 1000,
    cpu: cpuBetween(before, await rig.cpu()),
    latency: steady.latency,
    lost: deliveries - receipts.deliveries + steady.lost,
    unrecorded,
    ...faultsOf(receipts, steady.receipts),
    details: {},
  };
}
