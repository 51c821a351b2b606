import { createTenant } from '../client.js';
import { cpuPer10k } from '../figures.js';
import type { Service } from '../installation.js';
import { filterOfKind } from '../payload.js';
import type { Rig, Subscription } from '../rig.js';
import { emitAndReceive, type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { sumOf } from '../sum.js';

export const RATE_PER_SECOND = 100;
const CLOSED_LOOP = { what: 'emit', concurrency: 64 } as const;
const GROUP = 'common';
const KINDS = 4;
const OTHER_EVENT_TYPE = 'voucher.emitted';

const filtered = (kind: number): Subscription => ({ content: { filter: filterOfKind(kind) } });
const each = <Value>(count: number, value: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => value(index));

/** The webhooks of each tenant: of 28 eleven have a filter, and two an order. */
const tenants: readonly (readonly Subscription[])[] = [
  [{}], // takes each event
  [{}, { keyPath: 'code' }], // both take each event
  // Two of five take each event.
  [{}, ...each(KINDS, filtered)],
  // Three of twenty take each event.
  [
    {},
    ...each(KINDS, filtered),
    ...each(KINDS - 1, filtered),
    { ...filtered(KINDS - 1), keyPath: 'code' },
    ...each(11, () => ({ eventType: OTHER_EVENT_TYPE })),
  ],
];

/** Tenants such as most are: some have several webhooks, some filters, some an order. */
export const common: Scenario = {
  name: 'common',
  title: `${RATE_PER_SECOND} emits a second of tenants with 1, 2, 5 and 20 webhooks, of which 1, 2, 2 and 3 take each event`,
  async prepare(rig) {
    const service = await platformOf(rig);
    const tenantIds: number[] = [];
    for (const [index, webhooks] of tenants.entries()) {
      const tenantId = await createTenant(service, `common-${index}`);
      tenantIds.push(tenantId);
      for (const webhook of webhooks) {
        await rig.subscribe({ ...service, tenantId }, GROUP, 1, webhook);
      }
    }
    const events = { tenantIds, kinds: KINDS };
    await warmUp(rig, service, GROUP, { ...warmUpLoad, ...events });
    return async () => {
      const load = { what: 'emit', ratePerSecond: RATE_PER_SECOND, seconds: rig.seconds, ...events } as const;
      return withClosedLoop(rig, service, GROUP, events, await emitAndReceive(rig, service, GROUP, load));
    };
  },
};

/** The service, started, as it is asked with a platform key. */
export async function platformOf(rig: Rig): Promise<Service> {
  const service = await rig.installation.start();
  return { ...service, apiKey: await rig.installation.makePlatformKey() };
}

/** Adds the figures of the same events as fast as 64 emitters get them answered. */
export async function withClosedLoop(
  rig: Rig,
  service: Service,
  group: string,
  events: { tenantIds: readonly number[]; kinds: number },
  measured: Measurement,
): Promise<Measurement> {
  const closed = await emitAndReceive(rig, service, group, { ...CLOSED_LOOP, seconds: rig.seconds, ...events });
  const { lost, unrecorded, duplicates, signaturesWrong } = sumOf([measured, closed]);
  const details = {
    ...measured.details,
    closedLoopPerSecond: closed.deliveries / closed.seconds,
    ...cpuFigures('closedLoop', closed),
  };
  return { ...measured, lost, unrecorded, duplicates, signaturesWrong, details };
}

/** CPU seconds for 10,000 deliveries, of the service and of Postgres apart. */
export function cpuFigures(name: string, { cpu, deliveries }: Measurement): Record<string, number> {
  const { service, postgres } =
    cpu === null ? { service: Number.NaN, postgres: Number.NaN } : cpuPer10k(cpu, deliveries);
  return { [`${name}ServiceCpuPer10k`]: service, [`${name}PostgresCpuPer10k`]: postgres };
}
