import { emitAndReceive, type Measurement, type Scenario, warmUp } from '../scenario.js';
import { seedRetries } from '../seed.js';
import { sumOf } from '../sum.js';

const RETRIES = 1_000_000;
const DUE_FROM_SECONDS = 1800;
/** No retry is due later. */
const DUE_UNTIL_SECONDS = 3600;
const RETRIES_PER_EVENT = 1000;
const RETRIED_EVENT_TYPE = 'voucher.emitted';
const GROUP = 'backlog';
const load = { what: 'emit', concurrency: 64 } as const;
const WARM_UP_SECONDS = 4;
/** Each of the two systems is measured so often in a run, in turn. */
const ROUNDS = 2;

/**
 * Two installations, one with a million scheduled retries in its tables, which are not due before the end. The other
 * one is idle while one is measured. The figures are those of the one with the retries; `empty…` those of the other.
 */
export const backlog: Scenario = {
  name: 'backlog',
  title: `throughput with ${RETRIES.toLocaleString('en')} scheduled retries in the tables, and without, in turn`,
  async prepare(rig) {
    const emptyRig = await rig.another();
    const [full, empty] = await Promise.all(
      [rig, emptyRig].map(async (each) => {
        const service = await each.installation.start();
        await each.subscribe(service, GROUP, 1);
        return { rig: each, service };
      }),
    );
    const [webhookId] = await full!.rig.subscribe(full!.service, 'retried', 1, {
      eventType: RETRIED_EVENT_TYPE,
    });
    const seedSeconds = await seedRetries(await rig.database(), {
      webhookId: webhookId!,
      eventType: RETRIED_EVENT_TYPE,
      deliveries: RETRIES,
      perEvent: RETRIES_PER_EVENT,
      dueFrom: DUE_FROM_SECONDS,
      dueUntil: DUE_UNTIL_SECONDS,
    });
    for (const { rig: each, service } of [full!, empty!]) {
      await warmUp(each, service, GROUP, { ...load, seconds: WARM_UP_SECONDS });
    }
    const run = ({ rig: each, service }: NonNullable<typeof full>) =>
      emitAndReceive(each, service, GROUP, { ...load, seconds: rig.seconds });

    return async () => {
      const withBacklog: Measurement[] = [];
      const without: Measurement[] = [];
      for (let i = 0; i < ROUNDS; i++) {
        without.push(await run(empty!));
        withBacklog.push(await run(full!));
      }
      const [measured, other] = [sumOf(withBacklog), sumOf(without)];
      return {
        ...measured,
        lost: measured.lost + other.lost,
        unrecorded: measured.unrecorded + other.unrecorded,
        duplicates: measured.duplicates + other.duplicates,
        signaturesWrong: measured.signaturesWrong + other.signaturesWrong,
        details: { ...compare(measured, other), seedSeconds },
      };
    };
  },
};

function compare(full: Measurement, empty: Measurement): Record<string, number> {
  const rate = ({ deliveries, seconds }: Measurement) => deliveries / seconds;
  const cpu = ({ cpu: used, deliveries }: Measurement) =>
    used === null ? Number.NaN : (10_000 * (used.service + used.postgres)) / deliveries;
  return {
    emptyDeliveriesPerSecond: rate(empty),
    emptyCpuSecondsPer10k: cpu(empty),
    rateRatio: rate(full) / rate(empty),
    cpuRatio: cpu(full) / cpu(empty),
  };
}
