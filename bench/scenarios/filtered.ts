import { createTenant } from '../client.js';
import { cpuPer10k } from '../figures.js';
import { filterOfKind } from '../payload.js';
import { emitAndReceive, type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { sumOf } from '../sum.js';
import { cpuFigures, platformOf, RATE_PER_SECOND, withClosedLoop } from './common.js';

const WEBHOOKS = 10;
type Group = 'filtered' | 'plain';

/**
 * Ten webhooks with a filter of one tenant, of which one takes each event; in turns with the same deliveries of ten
 * tenants with a plain webhook each: plain, filtered, filtered, plain. The figures are those of the filters, `plain…`
 * the others.
 */
export const filtered: Scenario = {
  name: 'filtered',
  title: `${RATE_PER_SECOND} emits a second, ten webhooks with a filter, of which one takes each event`,
  async prepare(rig) {
    const service = await platformOf(rig);
    const tenantId = await createTenant(service, 'filtered');
    const tenantIds: Record<Group, number[]> = { filtered: [tenantId], plain: [] };
    for (let kind = 0; kind < WEBHOOKS; kind++) {
      await rig.subscribe({ ...service, tenantId }, 'filtered', 1, { content: { filter: filterOfKind(kind) } });
      const plain = await createTenant(service, `plain-${kind}`);
      tenantIds.plain.push(plain);
      await rig.subscribe({ ...service, tenantId: plain }, 'plain', 1);
    }
    const eventsOf = (group: Group) => ({ tenantIds: tenantIds[group], kinds: WEBHOOKS });
    for (const group of ['plain', 'filtered'] as const) {
      await warmUp(rig, service, group, { ...warmUpLoad, ...eventsOf(group) });
    }
    const phase = (group: Group) =>
      emitAndReceive(rig, service, group, {
        what: 'emit',
        ratePerSecond: RATE_PER_SECOND,
        seconds: rig.seconds,
        ...eventsOf(group),
      });
    return async () => {
      const before = await phase('plain');
      const measured = sumOf([await phase('filtered'), await phase('filtered')]);
      const plain = sumOf([before, await phase('plain')]);
      const details = { ...cpuFigures('plain', plain), cpuRatio: cpuOf(measured) / cpuOf(plain) };
      return withClosedLoop(rig, service, 'filtered', eventsOf('filtered'), { ...measured, details });
    };
  },
};

function cpuOf({ cpu, deliveries }: Measurement): number {
  return cpu === null ? Number.NaN : cpuPer10k(cpu, deliveries).serviceAndPostgres;
}
