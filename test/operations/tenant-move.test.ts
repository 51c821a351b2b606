import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { forgetDue } from '../../src/operations/cells/move/forget.js';
import { MOVED_TABLES } from '../../src/operations/cells/move/tables.js';
import { eraseEvent } from '../../src/operations/erasure/erase-event.js';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { revokeApiKey } from '../../src/operations/keys/revoke-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { moveHere } from '../faults/support/moving-cells.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { everyKindOfRow } from '../support/every-kind-of-row.js';
import { emitMany, makeKey, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { jobInHand, jobsIn, OF_DELIVERIES } from '../support/jobs.js';
import { onServer } from '../support/on-server.js';
import { type Cell, TwoCells } from '../support/two-cells.js';

/** `hookwright tenant move` between two databases (docs/decisions/0099). */

const SLOW = { timeout: 60_000 };

let two: TwoCells;
let [source, target]: [Cell, Cell] = [] as never;
beforeEach(async () => {
  two = await TwoCells.open();
  [source, target] = two.cells;
});
afterEach(() => two[Symbol.asyncDispose]());

/** Columns that say where a row is. */
const OWN = `- 'moving' - 'job_group'`;

/** The rows of a tenant as JSON, by table. */
async function rowsOf(cell: Cell, tenantId: number): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [table, way] of Object.entries(MOVED_TABLES)) {
    if (way !== 'STAYS') {
      const column = table === 'tenants' ? 'id' : 'tenant_id';
      const rows = await cell.rows<{ row: string }>(
        `select (to_jsonb(t) ${OWN})::text as row from hookwright.${table} t where ${column} = $1 order by 1`,
        [tenantId],
      );
      found[table] = rows.map(({ row }) => row);
    }
  }
  return found;
}

/** A tenant with a row of each kind, the newest of them and an old one. */
async function drawTenant(cell: Cell): Promise<TestTenant & { webhookId: number }> {
  const tenant = await makeTenant(cell.services);
  const webhook = await makeWebhook(cell.services, tenant.id);
  await cell.rows(everyKindOfRow(tenant.id, webhook.id));
  await emitMany(cell.services, tenant.id, 5);
  await old(cell, tenant.id);
  return { ...tenant, webhookId: webhook.id };
}

/** Makes two deliveries that have ended a day ago, with their attempts, traces and statistics. */
async function old(cell: Cell, tenantId: number): Promise<void> {
  await emitMany(cell.services, tenantId, 3);
  await cell.rows(`select hookwright.make_partition(parent, ((now() - interval '3 days') at time zone 'UTC')::date)
    from unnest('{events,deliveries,attempts}'::text[]) as parent`);
  await cell.rows(`
    with aged as (
      insert into hookwright.events select (e).* from (
        select jsonb_populate_record(e, jsonb_build_object('id', e.id - hookwright.id_at(now()) + hookwright.id_at(now() - interval '3 days'))) as e
        from hookwright.events e where e.tenant_id = ${tenantId}) copies returning id)
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at, finished_at)
    select id + 1, ${tenantId}, id, (select min(id) from hookwright.webhooks where tenant_id = ${tenantId}), 'coupon.applied',
      'SUCCEEDED', 1, now() - interval '3 days', now() - interval '3 days' from aged`);
  await cell.rows(`
    insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code, request_headers, response_truncated)
    select d.id, 1, d.tenant_id, 'https://receiver.example.com/', now() - interval '3 days', 5, 200, '{}', false
    from hookwright.deliveries d where d.tenant_id = ${tenantId} and d.status = 'SUCCEEDED';
    insert into hookwright.event_traces (event_id, tenant_id, traceparent)
    select e.id, e.tenant_id, '00-' || lpad(to_hex(e.id), 32, '0') || '-00f067aa0ba902b7-01' from hookwright.events e where e.tenant_id = ${tenantId};
    insert into hookwright.delivery_stats (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    select ${tenantId}, w, t, r.name, date_trunc(r.name, now() - interval '3 days', 'UTC'), 3, 0, '{3}'
    from (values (0, ''), (1, 'coupon.applied')) as of_(w, t), unnest('{HOUR,DAY}'::text[]) as r(name)`);
}

const move = (id: number, options = '') => two.run(`tenant move ${id} --to-url-file cell1 ${options}`.trim());

const movingOf = async (cell: Cell, id: number) =>
  (await cell.rows<{ moving: string | null }>('select moving from hookwright.tenants where id = $1', [id]))[0]?.moving;

test('every table with rows of one tenant is said to move or to stay', async () => {
  const tables = await source.rows<{ name: string }>(`
    select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and a.attname in ('tenant_id', 'webhook_id') order by 1`);
  expect(Object.keys(MOVED_TABLES).toSorted()).toEqual([...tables.map(({ name }) => name), 'tenants'].toSorted());
});

/** Waits until the mover waits in DRAINING for a job that the test has in hand; `letGo` ends that. */
async function holdDraining(id: number): Promise<{ reached(): Promise<void>; letGo(): Promise<void> }> {
  const letGo = await jobInHand(source, id);
  return {
    reached: async () => void (await eventually(async () => (await stateOf(id))?.state === 'DRAINING', 20_000)),
    letGo,
  };
}

const stateOf = async (id: number, cell = source) =>
  (
    await cell.rows<{ state: string; token: string }>(
      'select state, token::text from hookwright.tenant_moves where tenant_id = $1 order by started_at desc limit 1',
      [id],
    )
  )[0];

/** Expects that all has come as it was at the end. */
async function expectSame(id: number, before: Record<string, string[]>, cell = target): Promise<void> {
  const after = await rowsOf(cell, id);
  const isEntry = (row: string) => row.includes('TENANT_MOVED');
  expect(after['audit_log']!.filter(isEntry).length).toBeGreaterThan(0);
  const withoutEntries = (rows: Record<string, string[]>) => ({
    ...rows,
    audit_log: rows['audit_log']!.filter((row) => !isEntry(row)),
  });
  expect(withoutEntries(after)).toEqual(withoutEntries(before));
}

const countOf = (rows: Record<string, string[]>) => Object.values(rows).flat().length;

describe('a move', () => {
  test('brings every kind of row as it is, and leaves the tenant gone', SLOW, async () => {
    const { id } = await drawTenant(source);
    const before = await rowsOf(source, id);
    expect(Object.keys(before).filter((table) => before[table]!.length === 0)).toEqual([]);
    const { code, output, errors } = await move(id);
    expect([code, errors]).toEqual([0, expect.stringContaining(`Tenant ${id} is open in cell 1`)]);
    expect(errors).toContain('Nothing in cell 1 says which encryption key its processes have');
    expect(output).toMatch(new RegExp(`^t${id} 1\nk\\d+ 1\n`));
    await expectSame(id, before);
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual(['GONE', null]);
    expect((await two.run('tenant route')).output).toBe(output);
    expect((await two.run('tenant list')).output).toMatch(/\tin cell 1\n$/);
    expect((await two.run('tenant list', 1)).output).not.toContain('in cell');
    expect((await two.run('tenant route', 1)).output).toBe('');
    const [entry] = await source.rows(
      "select tenant_id, after from hookwright.audit_log where action = 'TENANT_MOVED'",
    );
    expect(entry).toEqual({ tenant_id: null, after: '{"toCell":1}' });
  });

  test('has jobs in the target for what is due, and positions of keys and sums of statistics go on', SLOW, async () => {
    const { id } = await drawTenant(source);
    await source.rows("select setval('hookwright.ordering_position', 5000)");
    await move(id);
    const open = await target.rows<{ id: number }>(
      "select id from hookwright.deliveries where tenant_id = $1 and status = 'PENDING'",
      [id],
    );
    const jobs = await jobsIn(target, OF_DELIVERIES);
    expect(open).toHaveLength(8);
    expect(jobs.map(({ key }) => key).toSorted()).toEqual(open.map((one) => `d:${one.id}`).toSorted());
    expect((await target.rows("select nextval('hookwright.ordering_position') > 5000 as raised"))[0]).toEqual({
      raised: true,
    });
    const marks = 'select minutes_until, hours_until, days_until from hookwright.stats_progress';
    const [here, there] = [(await source.rows(marks))[0]!, (await target.rows(marks))[0]!];
    expect(Object.keys(here).filter((mark) => there[mark] > here[mark])).toEqual([]);
  });

  test('brings what changes between its steps: a redelivery, a rotation, a pause, an erasure', SLOW, async () => {
    const { id, webhookId, keyId } = await drawTenant(source);
    const held = await holdDraining(id);
    const moving = move(id);
    await held.reached();
    const { db, vault, random } = source.services;
    const ended = await source.rows<{ id: number; event_id: number }>(
      "select id, event_id from hookwright.deliveries where tenant_id = $1 and status = 'SUCCEEDED' order by id",
      [id],
    );
    await source.rows(`
      update hookwright.deliveries set run = 2, attempts_before = 1, attempt_count = 2, status = 'FAILED',
        finished_at = now(), last_status_code = 500 where id = ${ended[0]!.id};
      insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code,
        request_headers, response_truncated)
      values (${ended[0]!.id}, 2, ${id}, 'https://receiver.example.com/', now(), 7, 500, '{}', false);
      update hookwright.deliveries set run = 2, status = 'PENDING', finished_at = null where id = ${ended[1]!.id};
      update hookwright.scheduled_events set status = 'CANCELED', finished_at = now() where tenant_id = ${id};
      update hookwright.idempotency_keys set event_id = ${ended[2]!.event_id}, created_at = now() - interval '2 days'
      where tenant_id = ${id}`);
    await rotateSecret(db, vault, random, id, { webhookId, overlapHours: 1, by: commandLine });
    await eraseEvent(db, id, { kind: 'EVENT', id: ended[2]!.event_id, reason: 'test' }, commandLine);
    await revokeApiKey(db, id, keyId, commandLine);
    await makeKey(source.services, id, ['webhooks:read']);
    await emitMany(source.services, id, 2);
    const before = await rowsOf(source, id);
    await held.letGo();
    expect(await moving).toMatchObject({ code: 0 });
    await expectSame(id, before);
    expect(before['idempotency_keys']![0]).not.toContain('"key": "key"');
  });

  test('waits for a transaction that has read the tenant before: what it emits comes too', SLOW, async () => {
    const { id } = await drawTenant(source);
    const held = await holdDraining(id);
    const moving = move(id, '--rate 100000');
    await held.reached();
    await onServer(source.url, async (application) => {
      await application.query('begin isolation level repeatable read');
      await application.query('select from hookwright.tenants');
      await held.letGo();
      await eventually(async () => (await stateOf(id))!.state === 'CLOSED', 20_000);
      const { rows } = await application.query<{ event_id: string }>(
        `select * from hookwright.emit($1, 'coupon.applied', '{"code":"X","discount_type":"y"}', schema_checked => true)`,
        [id],
      );
      await application.query('commit');
      expect(await moving).toMatchObject({ code: 0 });
      const came = await target.rows('select from hookwright.events where id = $1', [rows[0]!.event_id]);
      expect(came).toHaveLength(1);
    });
  });

  test('says whom it waits for before anything is copied', SLOW, async () => {
    const { id } = await makeTenant(source.services);
    await onServer(source.url, async (dump) => {
      await dump.query("set application_name = 'a dump'");
      await dump.query('begin isolation level repeatable read');
      await dump.query('select from hookwright.tenants');
      const said: string[] = [];
      const moving = moveHere(two, id, { say: (sentence) => said.push(sentence) });
      await eventually(() => /^the session \d+ of "a dump" has a transaction open/m.test(said.join('\n')), 20_000);
      await dump.query('commit');
      await moving;
    });
  });

  test('is given up when somebody keeps a transaction open: it says who, and the tenant is open', SLOW, async () => {
    const { id } = await drawTenant(source);
    await onServer(source.url, async (dump) => {
      const routed: (number | string)[] = [];
      const said: string[] = [];
      const route = async (where: number | 'hold') => {
        if (routed.push(where) === 1) {
          await dump.query("set application_name = 'a dump'");
          await dump.query('begin isolation level repeatable read');
          await dump.query('select from hookwright.tenants');
        }
      };
      const moving = moveHere(two, id, { route, underWayMs: 20, say: (sentence) => said.push(sentence) });
      await expect(moving).rejects.toThrow(/in 5 rounds: the session \d+ of "a dump" has had a transaction open/);
      expect([await movingOf(source, id), (await stateOf(id))!.state]).toEqual([null, 'COPYING']);
      expect(said.filter((sentence) => sentence.startsWith('The tenant is open again'))).toHaveLength(4);
      expect(routed).toEqual(
        Array.from({ length: 5 }, () => ['hold', 0])
          .flat()
          .concat(0)
          .slice(0, routed.length),
      );
    });
    expect(await move(id, '--resume')).toMatchObject({ code: 0 });
  });

  test(
    'tells the installation of the target that a tenant has come, and nothing of what happened elsewhere',
    SLOW,
    async () => {
      const { id } = await drawTenant(source);
      await makeWebhook(target.services, INSTALLATION_TENANT, { eventTypes: ['*'] });
      await move(id);
      const told = await target.rows<{ type: string; action: string }>(
        `select event_type as type, body::json #>> '{action}' as action from hookwright.events where tenant_id = $1`,
        [INSTALLATION_TENANT],
      );
      expect(told.filter(({ type }) => type !== 'doctor.finding')).toEqual([
        { type: 'audit.entry', action: 'TENANT_MOVED' },
      ]);
    },
  );

  test('leaves rows that go after its days by themselves, and not before', SLOW, async () => {
    const { id } = await drawTenant(source);
    await move(id);
    const { pool } = source.services.db;
    expect(await forgetDue(pool)).toBe(0);
    await source.rows("update hookwright.tenant_moves set forget_at = forget_at - interval '7 days'");
    expect(await forgetDue(pool)).toBe(1);
    expect([countOf(await rowsOf(source, id)), await movingOf(source, id)]).toEqual([1, 'GONE']);
    expect((await stateOf(id))!.state).toBe('DONE');
    expect((await two.run('tenant route')).output).toMatch(new RegExp(`^t${id} 1\\nk\\d+ 1\\n`));
    expect((await two.run(`tenant move ${id} --forget`)).errors).toContain('is erased already');
  });

  test('may go back once what it has left is erased', SLOW, async () => {
    const { id } = await drawTenant(source);
    await move(id);
    const back = () => two.run(`tenant move ${id} --to-url-file cell0`, 1);
    expect((await back()).errors).toContain('Cell 0 still has the rows from when the tenant left it.');
    expect(await two.run(`tenant move ${id} --forget`)).toMatchObject({ code: 0 });
    const [left, { tenants }] = [await rowsOf(source, id), await rowsOf(source, id)];
    expect([countOf(left), tenants!.length]).toEqual([1, 1]);
    expect((await two.run('tenant route')).output).toContain(`t${id} 1\n`);
    const before = await rowsOf(target, id);
    expect(await back()).toMatchObject({ code: 0 });
    await expectSame(id, before, source);
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual([null, 'GONE']);
    expect((await two.run('tenant route')).output).toBe('');
    expect((await two.run('tenant route', 1)).output).toContain(`t${id} 0\n`);
  });
});

describe('a tenant that is closed', () => {
  /** Locks a table of the target that the last of the copy is written to, as long as `work` runs. */
  const whileTargetWaits = (work: () => Promise<void>) =>
    onServer(target.url, async (other) => {
      await other.query('begin; lock table hookwright.webhooks in share mode');
      await work();
    });

  const expectOpenHere = async (id: number) => {
    expect([await movingOf(source, id), (await stateOf(id))!.state]).toEqual([null, 'COPYING']);
    expect(await move(id, '--resume')).toMatchObject({ code: 0 });
  };

  test('is copied as fast as it goes, whatever rate was asked for', SLOW, async () => {
    const { id } = await drawTenant(source);
    const { moved } = await moveHere(two, id, { rate: 15, closedFor: 3 });
    const { rows } = moved!.arrived;
    expect(Object.values(rows).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(45);
  });

  test('is opened again after its time, also when the other cell does not answer', SLOW, async () => {
    const { id } = await drawTenant(source);
    await whileTargetWaits(async () => {
      await expect(moveHere(two, id, { closedFor: 2 })).rejects.toThrow('The tenant was closed for 2 s');
    });
    await expectOpenHere(id);
  });

  test('is opened again by Ctrl-C, also when the other cell does not answer', SLOW, async () => {
    const { id } = await drawTenant(source);
    const stop = new AbortController();
    await whileTargetWaits(async () => {
      const moving = moveHere(two, id, { signal: stop.signal });
      const stopped = expect(moving).rejects.toThrow('Stopped.');
      await eventually(async () => (await stateOf(id))?.state === 'CLOSED', 20_000);
      stop.abort(new Error('Stopped.'));
      await stopped;
    });
    await expectOpenHere(id);
  });

  test('is opened again when the connection to the other cell is lost amid its rows', SLOW, async () => {
    const { id } = await drawTenant(source);
    await source.rows(`
      insert into hookwright.events (id, tenant_id, event_type, body)
      select hookwright.id_at(now()) + n * 16, ${id}, 'coupon.applied', repeat(md5(n::text), 100)
      from generate_series(1, 20000) n`);
    const moving = moveHere(two, id, {});
    const lost = expect(moving).rejects.toThrow(/\. The tenant is open here: ".* --resume" goes on, --abort takes it/);
    await eventually(async () => {
      const ended = await target.rows(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'hookwright mover' and datname = current_database()
          and state = 'active' and query like 'copy pg_temp.incoming_events %'`);
      return ended.length > 0;
    }, 30_000);
    await lost;
    await expectOpenHere(id);
  });
});

describe('a tenant that has left', () => {
  test('is not moved again from there: it would be open in two cells', SLOW, async () => {
    const { id } = await drawTenant(source);
    await move(id);
    const third = await createTestDatabase();
    try {
      await onServer(third.url, (client) => enableCell(client, { number: 2, of: 16 }));
      for (const file of ['cell1', two.urlFile(third.url)]) {
        const { errors } = await two.run(`tenant move ${id} --to-url-file ${file}`);
        expect(errors).toContain(`Tenant ${id} belongs to cell 1. DATABASE_URL has to be the one of that cell.`);
      }
      expect([await movingOf(source, id), (await stateOf(id))!.state]).toEqual(['GONE', 'OPEN']);
    } finally {
      await third.drop();
    }
  });

  test(
    'is left alone by commands about the former move once it is back, also without anything to erase',
    SLOW,
    async () => {
      const { output } = await two.run('tenant create alone');
      const id = Number(/Tenant (\d+)/.exec(output)![1]);
      await move(id);
      expect(await two.run(`tenant move ${id} --to-url-file cell0`, 1)).toMatchObject({ code: 0 });
      await makeWebhook(source.services, id);
      const before = await rowsOf(source, id);
      expect((await move(id, '--resume')).errors).toContain(`No move of tenant ${id} is under way.`);
      expect((await move(id, '--abort')).errors).toContain(`Tenant ${id} has no move to cell 1.`);
      expect((await move(id, '--forget')).errors).toContain('is not that of a tenant that has moved away');
      await source.rows("update hookwright.tenant_moves set forget_at = now() - interval '1 day'");
      expect(await forgetDue(source.services.db.pool)).toBe(0);
      expect([await rowsOf(source, id), await movingOf(source, id)]).toEqual([before, null]);
    },
  );

  test('has to be moved from the cell that it lives in', SLOW, async () => {
    const { id } = await makeTenant(source.services);
    const wrongWay = await two.run(`tenant move ${id} --to-url-file cell0`, 1);
    expect(wrongWay.errors).toContain(`Tenant ${id} belongs to cell 0. DATABASE_URL has to be the one of that cell.`);
  });
});

describe('a mover that has died', () => {
  /** Ends the connections of a mover, as the end of its machine does. */
  const kill = () =>
    Promise.all(
      [source, target].map((cell) =>
        cell.rows(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'hookwright mover' and datname = current_database()`),
      ),
    );

  async function killedInDraining() {
    const { id } = await drawTenant(source);
    const held = await holdDraining(id);
    const moving = move(id);
    await held.reached();
    await kill();
    expect((await moving).errors).toContain('The connection to this cell is lost. The service opens the tenant within');
    await held.letGo();
    return id;
  }

  test('leaves a tenant that the service opens again, and another command goes on', SLOW, async () => {
    const id = await killedInDraining();
    expect((await move(id)).errors).toContain('is under way (DRAINING)');
    await source.rows(`update hookwright.tenant_moves set changed_at = now() - interval '61 s'`);
    await source.rows('select hookwright.reopen_abandoned()');
    expect([await movingOf(source, id), (await stateOf(id))!.state]).toEqual([null, 'COPYING']);
    const before = await rowsOf(source, id);
    const { token } = (await stateOf(id))!;
    expect(await move(id, '--resume')).toMatchObject({ code: 0 });
    await expectSame(id, before);
    // Whatever the former one still did, it could neither commit here nor there.
    expect((await stateOf(id))!.token).not.toBe(token);
    expect(await target.rows('select state from hookwright.tenant_moves where token = $1', [token])).toEqual([
      { state: 'ABORTED' },
    ]);
  });

  test.each(['RESUME', 'ABORT'] as const)('leaves a proxy that holds the tenant: %s ends that', SLOW, async (kind) => {
    const id = await killedInDraining();
    const routed: (number | string)[] = [];
    await moveHere(two, id, { kind, route: async (where) => void routed.push(where) });
    expect(routed).toEqual(kind === 'RESUME' ? [0, 'hold', 1] : [0]);
  });

  test('is forgotten by a failover here: the tenant is open there, so it is closed here', SLOW, async () => {
    const { id } = await drawTenant(source);
    await move(id);
    const before = await rowsOf(target, id);
    await source.rows(`update hookwright.tenant_moves set state = 'COPYING'`);
    await source.rows(`select hookwright.set_moving(${id}, null)`);
    expect((await move(id, '--resume')).errors).toContain('a failover has had this cell forget that');
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual(['GONE', null]);
    expect(await rowsOf(target, id)).toEqual(before);
  });

  test('may be taken back: the other cell has nothing of it then', SLOW, async () => {
    const id = await killedInDraining();
    const before = await rowsOf(source, id);
    expect(countOf(await rowsOf(target, id))).toBeGreaterThan(10);
    expect(await move(id, '--abort')).toMatchObject({ code: 0 });
    expect(countOf(await rowsOf(target, id))).toBe(0);
    expect(await rowsOf(source, id)).toEqual(before);
    expect([await movingOf(source, id), (await stateOf(id))!.state]).toEqual([null, 'ABORTED']);
    expect(await move(id, '--abort')).toMatchObject({ code: 0 });
    expect(await move(id)).toMatchObject({ code: 0 });
    await expectSame(id, before);
  });

  test('in doubt: the target has not got the tenant, so it never comes by that token', SLOW, async () => {
    const id = await killedInDraining();
    await source.rows(`update hookwright.tenant_moves set state = 'COMMITTING'`);
    await source.rows(`select hookwright.set_moving(${id}, 'CLOSED')`);
    const { token } = (await stateOf(id))!;
    const before = await rowsOf(source, id);
    expect((await move(id, '--resume')).errors).toContain('is not open in cell 1, and never comes by the former try');
    await expectSame(id, before);
    expect(await target.rows('select state from hookwright.tenant_moves where token = $1', [token])).toEqual([
      { state: 'ABORTED' },
    ]);
    expect((await stateOf(id))!.token).not.toBe(token);
  });

  test('in doubt: the target has the tenant, so it is gone here, and cannot be taken back', SLOW, async () => {
    const { id } = await drawTenant(source);
    await move(id);
    await source.rows(`update hookwright.tenant_moves set state = 'COMMITTING'`);
    await source.rows(`select hookwright.set_moving(${id}, 'CLOSED')`);
    expect((await two.run('tenant route')).output).toContain(`t${id} hold\n`);
    expect((await move(id, '--abort')).errors).toContain(`Tenant ${id} is open in cell 1: there is nothing to abort.`);
    expect(await move(id, '--resume')).toMatchObject({ code: 0, output: expect.stringContaining(`t${id} 1\n`) });
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual(['GONE', null]);
    expect(await move(id, '--resume')).toMatchObject({ code: 0 });
  });
});

describe('a move is refused before anything is copied', () => {
  const sqlOf: Record<string, [sql: (id: number) => string, cell: 0 | 1, sentence: string]> = {
    'another count of cells': [
      () => 'update hookwright.cell set "of" = 8',
      1,
      'Both databases are cells of different counts.',
    ],
    'a cell with the same ids': [
      () => 'update hookwright.cell set number = 16',
      1,
      'Cells 0 and 16 of 16 make the same ids of events',
    ],
    'no number': [() => 'delete from hookwright.cell', 1, 'The other database has no number of a cell.'],
    'another edition': [() => `update hookwright.edition set number = number + 1`, 1, 'have to be of one version'],
    'a name that is taken': [
      (id) => `insert into hookwright.tenants (name, data_key, data_key_kid)
               values (${`'taken ${id}'`}, '', 'test')`,
      1,
      'with the name "taken',
    ],
    'the grant of an outbox': [
      (id) => `insert into hookwright.outbox_grants values ('shop', ${id})`,
      0,
      'outbox revoke <role>',
    ],
    'a type that is missing': [
      (id) => `insert into hookwright.event_types (name, description, schema) values ('order.paid', '', '{}');
               update hookwright.webhooks set event_types = '{order.paid}' where tenant_id = ${id}`,
      0,
      'Cell 1 lacks what the tenant uses, or has another content of it: order.paid version 1.',
    ],
    'a platform key that acted': [
      (
        id,
      ) => `with made as (insert into hookwright.api_keys (name, hash, scopes) values ('p', '\\x01', '{platform:admin}') returning id)
               insert into hookwright.audit_log (tenant_id, actor, api_key_id, action, target_type, target_id)
               select ${id}, 'PLATFORM_KEY', id, 'WEBHOOK_UPDATED', 'WEBHOOK', '1' from made`,
      0,
      'Copy each of them',
    ],
    'an older daemon': [
      () => `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
             values (gen_random_uuid(), 'old-host', 1, '0.1.0', 1, 0, now())`,
      1,
      'A daemon of cell 1 on old-host is of version 0.1.0',
    ],
    'many open deliveries': [
      (id) => `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
               select hookwright.id_at(now()) + n, ${id}, 1, min(w.id), 'coupon.applied', 'HELD', now()
               from generate_series(1, 30001) n, hookwright.webhooks w where w.tenant_id = ${id} group by n`,
      0,
      'open deliveries, and would take no events for about',
    ],
  };

  test.each(Object.entries(sqlOf))('%s', SLOW, async (_, [sql, cell, sentence]) => {
    const { id } = await makeTenant(source.services);
    await makeWebhook(source.services, id);
    await source.rows(`update hookwright.tenants set name = 'taken ' || id where id = $1`, [id]);
    await two.cells[cell].rows(sql(id));
    expect(await move(id)).toMatchObject({ code: 1, errors: expect.stringContaining(sentence) });
    expect(await source.rows('select from hookwright.tenant_moves')).toEqual([]);
    expect(await target.rows('select from hookwright.tenants where id = $1', [id])).toEqual([]);
  });

  test('a platform key that acts while it is copied: it would be revoked there for ever', SLOW, async () => {
    const { id } = await drawTenant(source);
    const keys = [await makeKey(source.services, null, ['platform:admin'])];
    const act = (keyId: number) =>
      source.rows(
        `insert into hookwright.audit_log (tenant_id, actor, api_key_id, action, target_type, target_id)
         values ($1, 'PLATFORM_KEY', $2, 'WEBHOOK_UPDATED', 'WEBHOOK', '1')`,
        [id, keyId],
      );
    const sentence = (keyId: number) => `Platform keys have acted for the tenant that cell 1 has not: ${keyId}.`;
    const closing = moveHere(two, id, { route: async (where) => void (where === 'hold' && (await act(keys[0]!.id))) });
    await expect(closing).rejects.toThrow(sentence(keys[0]!.id));
    expect([await movingOf(source, id), (await stateOf(id))!.state]).toEqual([null, 'COPYING']);
    await two.run(`key copy ${keys[0]!.id} --to-url-file cell1`);
    keys.push(await makeKey(source.services, null, ['platform:admin']));
    await act(keys[1]!.id);
    expect((await move(id, '--resume')).errors).toContain(sentence(keys[1]!.id));
    await two.run(`key copy ${keys[1]!.id} --to-url-file cell1`);
    expect(await move(id, '--resume')).toMatchObject({ code: 0 });
    const there = 'select id::float8, revoked_at from hookwright.api_keys where id = any($1) order by id';
    const valid = keys.map((key) => ({ id: key.id, revoked_at: null }));
    expect(await target.rows(there, [keys.map((key) => key.id)])).toEqual(valid);
  });

  test('another encryption key', SLOW, async () => {
    const { id } = await makeTenant(source.services);
    await makeTenant(target.services);
    const [own] = [two.settings['ENCRYPTION_KEYS']];
    two.settings['ENCRYPTION_KEYS'] = `test:${Buffer.alloc(32).toString('base64')}`;
    expect((await move(id)).errors).toContain('ENCRYPTION_KEYS has no key "test" that opens the tenant');
    two.settings['ENCRYPTION_KEYS'] = own!;
    await target.rows(`update hookwright.tenants set data_key_kid = 'other'`);
    expect((await move(id)).errors).toContain('are not protected by the encryption key "test"');
  });
});
