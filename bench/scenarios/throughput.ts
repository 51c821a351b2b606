import { emitAndReceive, type Scenario, warmUp } from '../scenario.js';

export const load = { what: 'emit', concurrency: 64 } as const;
/** The first forty thousand of a process are a quarter slower: not all of its code is compiled yet. */
export const WARM_UP_SECONDS = 20;

export const throughput: Scenario = {
  name: 'throughput',
  title: 'single emits by 64 emitters, one webhook',
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, 'throughput', 1);
    await warmUp(rig, service, 'throughput', { ...load, seconds: WARM_UP_SECONDS });
    return () => emitAndReceive(rig, service, 'throughput', { ...load, seconds: rig.seconds });
  },
};
