import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeWebhook } from '../support/factories.js';
import { jobsIn } from '../support/jobs.js';
import { openTransaction } from '../support/locks.js';

let stack: DeliveryStack;
let webhook: number;
let key = 0;

beforeAll(async () => {
  stack = await DeliveryStack.open();
  webhook = (await makeWebhook(stack.services, stack.tenantId)).id;
  await stack.rows(`insert into hookwright.webhook_options (webhook_id, tenant_id, ordering_by)
                    values (${webhook}, ${stack.tenantId}, 'KEY')`);
});
afterAll(() => stack[Symbol.asyncDispose]());
beforeEach(() => {
  key += 1;
});

const emitSql = () => `select from hookwright.emit_events(array[${stack.tenantId}], array['coupon.applied'],
  array['{}'], schema_checked => true, ordering_keys => array['k${key}'])`;

interface Place {
  id: number;
  position: number;
  status: string;
}

/** The queue of the key, in its order. */
const queue = () =>
  stack.rows<Place>(`select d.id, q.position, d.status from hookwright.ordering_queue q
    join hookwright.deliveries d on d.id = q.delivery_id where q.key = 'k${key}' order by q.position`);

async function emit(times: number): Promise<Place[]> {
  for (let time = 0; time < times; time += 1) {
    await stack.rows(emitSql());
  }
  return await queue();
}

const call = async <Row extends object>(sql: string) => (await stack.rows<Row>(`select * from hookwright.${sql}`))[0]!;
const keysLeft = () => stack.rows(`select from hookwright.ordering_keys where key = 'k${key}'`);
const lockKey = () =>
  openTransaction(stack.databaseUrl, `select from hookwright.ordering_keys where key = 'k${key}' for update`);
const setStatus = ({ id }: Place, status: string) =>
  stack.rows(`update hookwright.deliveries set status = '${status}' where id = ${id}`);
const endTurn = ({ id }: Place) => stack.rows(`delete from hookwright.ordering_queue where delivery_id = ${id}`);

interface Verdict {
  busy_keys: string[];
  again_keys: string[];
  again_positions: string[];
}

describe('insert_deliveries', () => {
  const insert = async (active: boolean, keys = 'null') => {
    const [{ id } = { id: 0 }] = await stack.rows<{ id: number }>(`
      with made as (select hookwright.next_id() as id)
      select id, hookwright.insert_deliveries(array[id], array[${stack.tenantId}], array[id], array[${webhook}],
        array['coupon.applied'], array[${active}], array[null::bigint], array[0], now(), keys => ${keys}) from made`);
    const [row] = await stack.rows<{ status: string; key: string | null }>(
      `select status, ordering_key as key from hookwright.deliveries where id = ${id}`,
    );
    const jobs = await jobsIn(stack.services.db.pool);
    return { ...row!, hasJob: jobs.some((job) => job.key === `d:${id}`) };
  };

  test('writes a job for a delivery that may go, and none for one that is held', async () => {
    expect(await insert(true)).toEqual({ status: 'PENDING', key: null, hasJob: true });
    expect(await insert(false)).toEqual({ status: 'HELD', key: null, hasJob: false });
  });

  test('lets the first of a key go, and the next one wait', async () => {
    const keys = `array['k${key}']`;
    expect(await insert(true, keys)).toEqual({ status: 'PENDING', key: `k${key}`, hasJob: true });
    expect(await insert(true, keys)).toEqual({ status: 'WAITING', key: `k${key}`, hasJob: false });
  });

  test('does nothing for no deliveries', async () => {
    const { rows } = await stack.services.db.pool.query(
      `select hookwright.insert_deliveries('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', now()) as claimed`,
    );
    expect(rows).toEqual([{ claimed: null }]);
  });
});

describe('an ordering key that another transaction has', () => {
  test('ends the service’s emit with a state of its own: ORDERING_KEY_BUSY', async () => {
    await using other = await openTransaction(stack.databaseUrl, emitSql());
    const busy = { code: 'HW016', detail: 'ORDERING_KEY_BUSY' };
    await expect(stack.rows(emitSql())).rejects.toMatchObject(busy);
    const emitted = stack.services.emitter.emit([
      {
        ...{ tenantId: stack.tenantId, eventType: 'coupon.applied', body: '{}' },
        ...{ idempotencyKey: null, onlyWebhookId: null, orderingKey: `k${key}` },
      },
    ]);
    await expect(emitted).rejects.toMatchObject(busy);
    await other.commit();
    expect((await emit(1)).map(({ status }) => status)).toEqual(['PENDING', 'WAITING']);
  });
});

describe('wake_waiting', () => {
  test('makes a waiting delivery due, with a job', async () => {
    const [, second] = await emit(2);
    expect(await call(`wake_waiting(array[${second!.id}], null, null)`)).toEqual({ count: 1, claimed: null });
    expect((await queue())[1]).toMatchObject({ status: 'PENDING' });
    expect((await jobsIn(stack.services.db.pool)).filter((job) => job.key === `d:${second!.id}`)).toHaveLength(1);
  });

  test('holds it while its webhook is inactive', async () => {
    const [, second] = await emit(2);
    await stack.rows(`update hookwright.webhooks set active = false where id = ${webhook}`);
    expect(await call(`wake_waiting(array[${second!.id}], null, null)`)).toMatchObject({ count: 1 });
    expect((await queue())[1]).toMatchObject({ status: 'HELD' });
    await stack.rows(`update hookwright.webhooks set active = true where id = ${webhook}`);
  });

  test('leaves one that is locked, and one that does not wait', async () => {
    const [first, second] = await emit(2);
    await using _other = await openTransaction(
      stack.databaseUrl,
      `select from hookwright.deliveries where id = ${second!.id} for update`,
    );
    expect(await call(`wake_waiting(array[${first!.id}, ${second!.id}], null, null)`)).toMatchObject({ count: 0 });
  });
});

describe('pass_turns', () => {
  const pass = ({ position }: Place) =>
    call<Verdict>(`pass_turns(array[${webhook}], array['k${key}'], array[${position}])`);

  test('wakes the next of a key, also past those that have ended without a turn', async () => {
    const [first, second, third] = await emit(3);
    await endTurn(first!);
    await setStatus(second!, 'CANCELED');
    expect(await pass(first!)).toMatchObject({ busy_keys: [] });
    expect(await queue()).toEqual([{ ...third!, status: 'PENDING' }]);
  });

  test('ends a key of which nothing is left, and calls it busy while another transaction has it', async () => {
    const [first] = await emit(1);
    await endTurn(first!);
    await using other = await lockKey();
    expect(await pass(first!)).toMatchObject({ busy_keys: [`k${key}`] });
    await other.commit();
    expect(await pass(first!)).toMatchObject({ busy_keys: [] });
    expect(await keysLeft()).toEqual([]);
  });
});

describe('judge_turns', () => {
  const judge = ({ id, position }: Place) =>
    call<Verdict>(`judge_turns(array[${webhook}], array['k${key}'], array[${position}], array[${id}])`);

  test('calls a key busy whose next delivery still waits, and has others looked at again', async () => {
    const [, second] = await emit(2);
    expect(await judge(second!)).toMatchObject({ busy_keys: [`k${key}`], again_keys: [] });
    await setStatus(second!, 'CANCELED');
    expect(await judge(second!)).toMatchObject({
      busy_keys: [],
      again_keys: [`k${key}`],
      again_positions: [String(second!.position)],
    });
    expect(await queue()).toHaveLength(1);
    await setStatus((await queue())[0]!, 'PENDING');
  });

  test('leaves a turn that blocks its key', async () => {
    const [first] = await emit(1);
    await setStatus(first!, 'FAILED');
    await stack.rows(`update hookwright.ordering_queue set blocked_at = now() where delivery_id = ${first!.id}`);
    expect(await judge(first!)).toMatchObject({ busy_keys: [], again_keys: [] });
    expect(await queue()).toHaveLength(1);
  });
});

describe('end_keys', () => {
  const end = ({ position }: Place) =>
    call<Verdict>(`end_keys(array[${webhook}], array['k${key}'], array[${position}])`);

  test('ends a key with an empty queue', async () => {
    const [first] = await emit(1);
    await endTurn(first!);
    expect(await end(first!)).toMatchObject({ busy_keys: [], again_keys: [] });
    expect(await keysLeft()).toEqual([]);
  });

  test('keeps one to which something was added, and has it looked at again', async () => {
    const [first] = await emit(2);
    await endTurn(first!);
    expect(await end(first!)).toMatchObject({ busy_keys: [], again_keys: [`k${key}`] });
    expect(await keysLeft()).toHaveLength(1);
  });

  test('calls one busy that another transaction has', async () => {
    const [first] = await emit(1);
    await using _other = await lockKey();
    expect(await end(first!)).toMatchObject({ busy_keys: [`k${key}`], again_keys: [] });
  });
});
