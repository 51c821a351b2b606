import { Child } from '../child.js';
import type { FloorMethods } from '../floor.js';
import { Histogram } from '../histogram.js';
import { readStat } from '../processes.js';
import type { Rig } from '../rig.js';
import { emitAndReceive, type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';

const RATE_PER_SECOND = 100;
const load = { what: 'emit', ratePerSecond: RATE_PER_SECOND } as const;
const BARE_SECONDS = 2;
const FLOOR_GROUP = 'floor';

export const latency: Scenario = {
  name: 'latency',
  title: `${RATE_PER_SECOND} emits a second, one webhook`,
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, 'latency', 1);
    const floor = await openFloor(rig);
    await rig.barePosts({ seconds: warmUpLoad.seconds }, floor.url);
    await warmUp(rig, service, 'latency', warmUpLoad);
    await warmUp(rig, service, 'latency', { ...load, seconds: 1 });
    return async () => {
      await rig.barePosts({ seconds: BARE_SECONDS, ratePerSecond: RATE_PER_SECOND });
      const bare = await latencyOf(rig, 'bare');
      const floorCost = await costOfFloor(rig, floor);
      const floorLatency = await latencyOf(rig, FLOOR_GROUP);
      const measurement = await emitAndReceive(rig, service, 'latency', { ...load, seconds: rig.seconds });
      const details = {
        ...measurement.details,
        barePostP50Ms: bare?.p50Ms ?? Number.NaN,
        barePostP99Ms: bare?.p99Ms ?? Number.NaN,
        p99AboveBarePostMs:
          (Histogram.from(...(measurement.latency ? [measurement.latency] : [])).summary()?.p99Ms ?? Number.NaN) -
          (bare?.p99Ms ?? Number.NaN),
        floorP50Ms: floorLatency?.p50Ms ?? Number.NaN,
        floorCpuSecondsPer10k: floorCost * 10_000,
        cpuByFloor: costOf(measurement) / floorCost,
      };
      return { ...measurement, details };
    };
  },
};

const latencyOf = async (rig: Rig, group: string) =>
  Histogram.from((await rig.receiver.call('report', group)).latency).summary();

/** The floor over the same database and receiver. */
interface Floor {
  child: Child<FloorMethods>;
  /** Where it takes POSTs. */
  url: string;
}

async function openFloor(rig: Rig): Promise<Floor> {
  const child = rig.use(new Child<FloorMethods>('floor.js'));
  const { url: databaseUrl } = await rig.database();
  const origin = await child.call('open', { databaseUrl, url: rig.urlOf(FLOOR_GROUP) });
  return { child, url: `${origin}/${FLOOR_GROUP}/0` };
}

/** CPU seconds of a delivery by the floor and Postgres, while the service is idle. */
async function costOfFloor(rig: Rig, { child, url }: Floor): Promise<number> {
  const database = await rig.database();
  const cpuSeconds = () => (readStat(child.pid)?.ownSeconds ?? Number.NaN) + (database.cpuSeconds() ?? Number.NaN);
  const before = cpuSeconds();
  const { deliveries } = await rig.barePosts({ seconds: rig.seconds, ratePerSecond: RATE_PER_SECOND }, url);
  await child.call('settled', null);
  return (cpuSeconds() - before) / deliveries;
}

const costOf = ({ cpu, deliveries }: Measurement): number =>
  cpu === null ? Number.NaN : (cpu.service + cpu.postgres) / deliveries;
