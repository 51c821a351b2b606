import { expect, test } from 'vitest';
import { createClient } from '../../packages/client/src/index.js';
import { CrashableGround } from '../faults/support/ground.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, openTestServices } from '../support/factories.js';

const EMITTERS = 8;

test('while Postgres is killed and comes back, each event of emit and of emitMany is accepted exactly once', {
  timeout: 120_000,
}, async () => {
  await using ground = await CrashableGround.open();
  const services = await openTestServices(ground.url);
  await using belongings = new AsyncDisposableStack();
  belongings.defer(() => services.db.close());
  const tenant = await makeTenant(services);
  const api = belongings.use(await ApiOverSockets.open(services, tenant.id));
  const statuses = new Map<number, number>();
  const counting: typeof fetch = async (...args) => {
    const response = await fetch(...args);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    return response;
  };
  const client = createClient({ url: `http://127.0.0.1:${api.port}`, key: tenant.key, fetch: counting });

  const payload = (code: string) => ({ code, discount_type: 'fixed' });
  const accepted = new Map<string, string>();
  let made = 0;
  let isOver = false;
  const emitter = async () => {
    while (!isOver) {
      const code = `event-${made++}`;
      accepted.set(code, (await client.emit('coupon.applied', payload(code))).eventId);
    }
  };
  const batches = async () => {
    while (!isOver) {
      const codes = Array.from({ length: 150 }, () => `event-${made++}`);
      const emitted = await client.emitMany(codes.map((code) => ({ event: 'coupon.applied', payload: payload(code) })));
      for (const [index, { eventId }] of emitted.entries()) {
        accepted.set(codes[index]!, eventId);
      }
    }
  };
  const load = Promise.all([batches(), ...Array.from({ length: EMITTERS }, emitter)]);
  await eventually(() => accepted.size > 200);
  await ground.crash();
  const before = accepted.size;
  await ground.restart();
  await eventually(() => accepted.size > before + 200, 30_000);
  isOver = true;
  await load;

  const sql = `select 'ev_' || id as id, body::json->>'code' as code from hookwright.events`;
  const { rows: events } = await services.db.pool.query<{ id: string; code: string }>(sql);
  expect(statuses.get(503)).toBeGreaterThan(0);
  expect(events).toHaveLength(made);
  expect(new Map(events.map(({ id, code }) => [code, id]))).toEqual(accepted);
});
