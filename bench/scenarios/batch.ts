import { emitAndReceive, type Scenario, warmUp } from '../scenario.js';

const load = { what: 100, concurrency: 4 } as const;
const WARM_UP_SECONDS = 4;

export const batch: Scenario = {
  name: 'batch',
  title: 'emitEvents of 100 by 4 emitters, one webhook',
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, 'batch', 1);
    await warmUp(rig, service, 'batch', { ...load, seconds: WARM_UP_SECONDS });
    return () => emitAndReceive(rig, service, 'batch', { ...load, seconds: rig.seconds });
  },
};
