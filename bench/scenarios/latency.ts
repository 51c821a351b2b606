import { Histogram } from '../histogram.js';
import { emitAndReceive, type Scenario, warmUp, warmUpLoad } from '../scenario.js';

const RATE_PER_SECOND = 100;
const load = { what: 'emit', ratePerSecond: RATE_PER_SECOND } as const;
const BARE_SECONDS = 2;

export const latency: Scenario = {
  name: 'latency',
  title: `${RATE_PER_SECOND} emits a second, one webhook`,
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, 'latency', 1);
    await warmUp(rig, service, 'latency', warmUpLoad);
    await warmUp(rig, service, 'latency', { ...load, seconds: 1 });
    return async () => {
      await rig.barePosts({ seconds: BARE_SECONDS, ratePerSecond: RATE_PER_SECOND });
      const bare = Histogram.from((await rig.receiver.call('report', 'bare')).latency).summary();
      const measurement = await emitAndReceive(rig, service, 'latency', { ...load, seconds: rig.seconds });
      const details = {
        ...measurement.details,
        barePostP50Ms: bare?.p50Ms ?? Number.NaN,
        barePostP99Ms: bare?.p99Ms ?? Number.NaN,
        p99AboveBarePostMs:
          (Histogram.from(...(measurement.latency ? [measurement.latency] : [])).summary()?.p99Ms ?? Number.NaN) -
          (bare?.p99Ms ?? Number.NaN),
      };
      return { ...measurement, details };
    };
  },
};
