import type { Service } from '../installation.js';
import type { Rig } from '../rig.js';
import { emitAndReceive, type Measurement, type Scenario, warmUp } from '../scenario.js';
import { load, WARM_UP_SECONDS } from './throughput.js';

const KEYS = 1_000;
/** How late the endpoint with one key answers. */
const ANSWER_MS = 10;
const ONE_KEY_EVENTS = 500;
/** No other emit is of this type. */
const WAITING_EVENT_TYPE = 'voucher.emitted';
const WAITING = 5_000;

type Group = 'plain' | 'keyed' | 'one';

/**
 * The load of `throughput`: to a webhook without an order, to one with the order of 1,000 keys, and again without. Then
 * 500 events of one key to an endpoint that answers after 10 ms. Then a tenant emits without an order, alone and beside
 * 5,000 of its deliveries that wait for one without an answer. The figures are those of the 1,000 keys.
 */
export const ordered: Scenario = {
  name: 'ordered',
  title: `single emits by 64 emitters with ${KEYS.toLocaleString('en')} ordering keys, or none; then one key`,
  async prepare(rig) {
    const service = await rig.installation.start();
    const own = async (group: string, isOrdered: boolean): Promise<Service> => {
      const tenant = { ...service, apiKey: await rig.installation.makeTenant(group) };
      await rig.subscribe(tenant, group, 1, { isOrdered });
      return tenant;
    };
    const services = { plain: await own('plain', false), keyed: await own('keyed', true), one: await own('one', true) };
    await rig.receiver.call('delay', { group: 'one', ms: ANSWER_MS });
    await warmUp(rig, services.plain, 'plain', { ...load, seconds: WARM_UP_SECONDS });
    await warmUp(rig, services.keyed, 'keyed', { ...load, keys: KEYS, seconds: WARM_UP_SECONDS / 2 });
    let run = 0;
    return async () => {
      run += 1;
      const measured = await measure(rig, services);
      const percentBesideBlocked = await measureBeside(rig, await own(`beside-${run}`, false), run);
      return { ...measured, details: { ...measured.details, percentBesideBlocked } };
    };
  },
};

/** @param service of a tenant with nothing but the webhook `beside` */
async function measureBeside(rig: Rig, service: Service, run: number): Promise<number> {
  const rate = async () => {
    const seconds = rig.seconds / 2;
    const { deliveries, seconds: took } = await emitAndReceive(rig, service, `beside-${run}`, { ...load, seconds });
    return deliveries / took;
  };
  const group = `blocked-${run}`;
  const [webhookId] = await rig.subscribe(service, group, 1, { isOrdered: true, eventType: WAITING_EVENT_TYPE });
  await rig.receiver.call('stall', group);
  const alone = await rate();
  const { pool } = await rig.database();
  await pool.query(
    `select count(*) from hookwright.webhooks w, hookwright.emit_events(
       array_fill(w.tenant_id, array[$2::integer]), array_fill($3::text, array[$2]),
       array_fill('{"voucher":"V"}'::text, array[$2]), schema_checked => true,
       ordering_keys => array_fill('blocked'::text, array[$2]))
     where w.id = $1`,
    [webhookId, WAITING, WAITING_EVENT_TYPE],
  );
  return ((await rate()) / alone) * 100;
}

async function measure(rig: Rig, services: Record<Group, Service>): Promise<Measurement> {
  const plain = () => emitAndReceive(rig, services.plain, 'plain', { ...load, seconds: rig.seconds / 2 });
  const before = await plain();
  const keyed = await emitAndReceive(rig, services.keyed, 'keyed', { ...load, keys: KEYS, seconds: rig.seconds });
  const after = await plain();
  const one = await emitAndReceive(rig, services.one, 'one', {
    what: 'emit',
    concurrency: 8,
    keys: 1,
    seconds: rig.seconds * 10,
    requestsMax: ONE_KEY_EVENTS,
  });
  const rateOf = (...them: Measurement[]) =>
    them.reduce((sum, { deliveries }) => sum + deliveries, 0) / them.reduce((sum, { seconds }) => sum + seconds, 0);
  const all = [before, keyed, after, one];
  const sum = (of: (one: Measurement) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    ...keyed,
    lost: sum(({ lost }) => lost),
    unrecorded: sum(({ unrecorded }) => unrecorded),
    duplicates: sum(({ duplicates }) => duplicates),
    signaturesWrong: sum(({ signaturesWrong }) => signaturesWrong),
    details: {
      ...keyed.details,
      percentOfUnordered: (rateOf(keyed) / rateOf(before, after)) * 100,
      oneKeyPerSecond: rateOf(one),
    },
  };
}
