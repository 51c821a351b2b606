import { emitAndReceive, type Scenario, warmUp } from '../scenario.js';
import { load, WARM_UP_SECONDS } from './throughput.js';

const GROUP = 'split';

/** Like `throughput`, with API and daemon in separate processes: reports CPU time and peak memory of each. */
export const split: Scenario = {
  name: 'split',
  title: 'single emits by 64 emitters, one webhook; 1 API process and 2 daemons over one Postgres',
  async prepare(rig) {
    const { installation } = rig;
    // The all-in-one mode makes the tenant and its key.
    await installation.stopAllInOne(await installation.start());
    const service = await installation.startApi();
    const daemons = [await installation.startDaemon(), await installation.startDaemon()];
    const processes = { api: service.process, daemon1: daemons[0]!, daemon2: daemons[1]! };
    await rig.subscribe(service, GROUP, 1);
    await warmUp(rig, service, GROUP, { ...load, seconds: WARM_UP_SECONDS });

    return async () => {
      const cpu = () => Object.values(processes).map((each) => rig.cpuOf(each) ?? Number.NaN);
      const before = cpu();
      const measurement = await emitAndReceive(rig, service, GROUP, { ...load, seconds: rig.seconds });
      const after = cpu();
      const details: Record<string, number> = { ...measurement.details };
      for (const [index, [name, each]] of Object.entries(processes).entries()) {
        const seconds = after[index]! - before[index]!;
        details[`${name}CpuSecondsPer10k`] = (10_000 * seconds) / measurement.deliveries;
        details[`${name}PeakMemoryMiB`] = rig.peakMemoryOf(each);
      }
      return { ...measurement, details };
    };
  },
};
