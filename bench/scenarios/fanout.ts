import { median } from '../histogram.js';
import type { Service } from '../installation.js';
import type { Rig } from '../rig.js';
import { emitAndReceive, type Measurement, type Scenario, warmUp } from '../scenario.js';
import { sumOf } from '../sum.js';

const WEBHOOKS = 1000;
const WARM_UP_EVENTS = 5;
const EVENTS = 10;
const GROUP = 'fanout';
/** The next event is emitted only when all of the last one has arrived and is recorded. */
const oneEmit = { what: 'emit', concurrency: 1, requestsMax: 1, seconds: 60 } as const;

export const fanout: Scenario = {
  name: 'fanout',
  title: `one event to ${WEBHOOKS.toLocaleString('en')} webhooks, ${EVENTS} times, one after the other`,
  settings: { WEBHOOKS_PER_TENANT_MAX: `${WEBHOOKS}` },
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, GROUP, WEBHOOKS);
    for (let i = 0; i < WARM_UP_EVENTS; i++) {
      await warmUp(rig, service, GROUP, oneEmit);
    }
    return () => measure(rig, service);
  },
};

async function measure(rig: Rig, service: Service): Promise<Measurement> {
  const events: Measurement[] = [];
  for (let i = 0; i < EVENTS; i++) {
    events.push(await emitAndReceive(rig, service, GROUP, oneEmit));
  }
  const allDelivered = events.map(({ seconds }) => seconds * 1000);
  const answered = events.map(({ details }) => 1000 / (details['emitsPerSecond'] ?? Number.NaN));
  return {
    ...sumOf(events),
    details: {
      emitAnswerMedianMs: median(answered) ?? Number.NaN,
      emitAnswerMaxMs: Math.max(...answered),
      allDeliveredMedianMs: median(allDelivered) ?? Number.NaN,
      allDeliveredMaxMs: Math.max(...allDelivered),
    },
  };
}
