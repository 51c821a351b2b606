import { Histogram } from '../histogram.js';
import { emitAndReceive, type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';

const load = { what: 'emit', ratePerSecond: 100, seconds: 15 } as const;

const p99Of = ({ latency }: Measurement): number =>
  (latency === null ? undefined : Histogram.from(latency).summary()?.p99Ms) ?? Number.NaN;

/** The first 15 seconds of a process that says it is ready, beside the same seconds of a warm one. */
export const cold: Scenario = {
  name: 'cold',
  title: `${load.ratePerSecond} emits a second from the moment that a process is ready, and when it is warm`,
  async prepare(rig) {
    const first = await rig.installation.start();
    await rig.subscribe(first, 'cold', 1);
    await rig.installation.stop(first.process);
    return async () => {
      const service = await rig.installation.start();
      const fresh = await emitAndReceive(rig, service, 'cold', load);
      await warmUp(rig, service, 'cold', warmUpLoad);
      const warm = await emitAndReceive(rig, service, 'cold', load);
      await rig.installation.stop(service.process);
      const warmP99Ms = p99Of(warm);
      return { ...fresh, details: { ...fresh.details, warmP99Ms, p99Ratio: p99Of(fresh) / warmP99Ms } };
    };
  },
};
