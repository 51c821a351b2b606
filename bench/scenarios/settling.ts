import type { Service } from '../installation.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { checksOf, type Measurement, type Scenario, warmUp } from '../scenario.js';
import { load } from './throughput.js';

const KEYS = 100;
const EVENTS = 10_000;
const SETTLE_SECONDS = 1;
const SETTLE_MAX_SECONDS = 10;
const WARM_UP_SECONDS = 5;

/** 10,000 events of 100 keys to a webhook that waits until a key is quiet: few requests, and the last event of each. */
export const settling: Scenario = {
  name: 'settling',
  title: `${EVENTS.toLocaleString('en')} single emits with ${KEYS} keys, each sent when it has been quiet for a second`,
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, 'warm', 1, { isOrdered: true });
    await warmUp(rig, service, 'warm', { ...load, keys: KEYS, seconds: WARM_UP_SECONDS });
    let run = 0;
    return async () => {
      run += 1;
      const group = `settling-${run}`;
      const tenant = { ...service, apiKey: await rig.installation.makeTenant(group) };
      const webhookIds = await rig.subscribe(tenant, group, 1, { settle: [SETTLE_SECONDS, SETTLE_MAX_SECONDS] });
      return await measure(rig, tenant, group, webhookIds);
    };
  },
};

async function measure(rig: Rig, tenant: Service, group: string, webhookIds: readonly number[]): Promise<Measurement> {
  const before = await rig.cpu();
  const emitted = await rig.emit(tenant, { ...load, keys: KEYS, seconds: rig.seconds * 60, requestsMax: EVENTS });
  const unrecorded = await rig.unrecorded(group);
  const cpu = cpuBetween(before, await rig.cpu());
  const receipts = await rig.receiver.call('report', group);
  const { pool } = await rig.database();
  const { rows } = await pool.query<{ missing: number; superseded: number; queued: number; late: number }>(
    `select count(*) filter (where is_last and status <> 'SUCCEEDED')::integer as missing,
            count(*) filter (where status = 'CANCELED')::integer as superseded,
            (select count(*)::integer from hookwright.ordering_queue where webhook_id = any($1::bigint[])) as queued,
            coalesce(max(extract(epoch from finished_at - due_at)) filter (where status = 'SUCCEEDED'), 0)::float8
              as late
     from (select d.*, row_number() over (partition by ordering_key order by event_id desc) = 1 as is_last
           from hookwright.deliveries d where webhook_id = any($1::bigint[])) d`,
    [webhookIds],
  );
  const { missing, superseded, queued, late } = rows[0]!;
  return {
    deliveries: receipts.deliveries,
    seconds: (receipts.lastAt - emitted.startedAt) / 1_000_000,
    cpu,
    latency: null,
    lost: missing,
    unrecorded,
    ...checksOf(receipts),
    details: {
      emitsPerSecond: emitted.events / ((emitted.endedAt - emitted.startedAt) / 1_000_000),
      requests: receipts.deliveries,
      superseded,
      queuedAtTheEnd: queued,
      lateMaxMs: late * 1_000,
      lastRequestAfterLastEmitMs: (receipts.lastAt - emitted.endedAt) / 1_000,
    },
  };
}
