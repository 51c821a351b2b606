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
import { emitMany, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { jobsIn, OF_DELIVERIES } from '../support/jobs.js';
import { countOf, drawTenant, expectSame, holdDraining, movingOf, rowsOf, stateOf } from '../support/moved-tenants.js';
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

test('every table with rows of one tenant is said to move or to stay', async () => {
  const tables = await source.rows<{ name: string }>(`
    select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and a.attname in ('tenant_id', 'webhook_id') order by 1`);
  expect(Object.keys(MOVED_TABLES).toSorted()).toEqual([...tables.map(({ name }) => name), 'tenants'].toSorted());
});

describe('a move', () => {
  test('brings every kind of row as it is, and leaves the tenant gone', SLOW, async () => {
    const { id } = await drawTenant(source);
    const before = await rowsOf(source, id);
    expect(Object.keys(before).filter((table) => before[table]!.length === 0)).toEqual([]);
    const { code, output, errors } = await two.move(id);
    expect([code, errors]).toEqual([0, expect.stringContaining(`Tenant ${id} is open in cell 1`)]);
    expect(errors).toContain('Nothing in cell 1 says which encryption key its processes have');
    expect(output).toMatch(new RegExp(`^t${id} 1\nk\\d+ 1\n`));
    await expectSame(target, id, before);
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
    await two.move(id);
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
    const held = await holdDraining(source, id);
    const moving = two.move(id);
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
    await expectSame(target, id, before);
    expect(before['idempotency_keys']![0]).not.toContain('"key": "key"');
  });

  test('waits for a transaction that has read the tenant before: what it emits comes too', SLOW, async () => {
    const { id } = await drawTenant(source);
    const held = await holdDraining(source, id);
    const moving = two.move(id, '--rate 100000');
    await held.reached();
    await onServer(source.url, async (application) => {
      await application.query('begin isolation level repeatable read');
      await application.query('select from hookwright.tenants');
      await held.letGo();
      await eventually(async () => (await stateOf(source, id))!.state === 'CLOSED', 20_000);
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
      expect([await movingOf(source, id), (await stateOf(source, id))!.state]).toEqual([null, 'COPYING']);
      expect(said.filter((sentence) => sentence.startsWith('The tenant is open again'))).toHaveLength(4);
      expect(routed).toEqual(
        Array.from({ length: 5 }, () => ['hold', 0])
          .flat()
          .concat(0)
          .slice(0, routed.length),
      );
    });
    expect(await two.move(id, '--resume')).toMatchObject({ code: 0 });
  });

  test(
    'tells the installation of the target that a tenant has come, and nothing of what happened elsewhere',
    SLOW,
    async () => {
      const { id } = await drawTenant(source);
      await makeWebhook(target.services, INSTALLATION_TENANT, { eventTypes: ['*'] });
      await two.move(id);
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
    await two.move(id);
    const { pool } = source.services.db;
    expect(await forgetDue(pool)).toBe(0);
    await source.rows("update hookwright.tenant_moves set forget_at = forget_at - interval '7 days'");
    expect(await forgetDue(pool)).toBe(1);
    expect([countOf(await rowsOf(source, id)), await movingOf(source, id)]).toEqual([1, 'GONE']);
    expect((await stateOf(source, id))!.state).toBe('DONE');
    expect((await two.run('tenant route')).output).toMatch(new RegExp(`^t${id} 1\\nk\\d+ 1\\n`));
    expect((await two.run(`tenant move ${id} --forget`)).errors).toContain('is erased already');
  });

  test('exits with 1 when the proxy was not told where the tenant is now', SLOW, async () => {
    const { id } = await makeTenant(source.services);
    const { code, errors } = await two.move(id, '--route-command false');
    expect(code).toBe(1);
    expect(errors).toContain(`Tenant ${id} is open in cell 1`);
    expect(errors).toContain(`The proxy does not know where tenant ${id} is: the last --route-command failed.`);
    expect(await movingOf(source, id)).toBe('GONE');
  });

  test('may go back once what it has left is erased', SLOW, async () => {
    const { id } = await drawTenant(source);
    await two.move(id);
    const back = () => two.run(`tenant move ${id} --to-url-file cell0`, 1);
    expect((await back()).errors).toContain('Cell 0 still has the rows from when the tenant left it.');
    expect(await two.run(`tenant move ${id} --forget`)).toMatchObject({ code: 0 });
    const [left, { tenants }] = [await rowsOf(source, id), await rowsOf(source, id)];
    expect([countOf(left), tenants!.length]).toEqual([1, 1]);
    expect((await two.run('tenant route')).output).toContain(`t${id} 1\n`);
    const before = await rowsOf(target, id);
    expect(await back()).toMatchObject({ code: 0 });
    await expectSame(source, id, before);
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual([null, 'GONE']);
    expect((await two.run('tenant route')).output).toBe('');
    expect((await two.run('tenant route', 1)).output).toContain(`t${id} 0\n`);
  });
});

describe('a tenant that has left', () => {
  test('is not moved again from there: it would be open in two cells', SLOW, async () => {
    const { id } = await drawTenant(source);
    await two.move(id);
    const third = await createTestDatabase();
    try {
      await onServer(third.url, (client) => enableCell(client, { number: 2, of: 16 }));
      for (const file of ['cell1', two.urlFile(third.url)]) {
        const { errors } = await two.run(`tenant move ${id} --to-url-file ${file}`);
        expect(errors).toContain(`Tenant ${id} belongs to cell 1. DATABASE_URL has to be the one of that cell.`);
      }
      expect([await movingOf(source, id), (await stateOf(source, id))!.state]).toEqual(['GONE', 'OPEN']);
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
      await two.move(id);
      expect(await two.run(`tenant move ${id} --to-url-file cell0`, 1)).toMatchObject({ code: 0 });
      await makeWebhook(source.services, id);
      const before = await rowsOf(source, id);
      expect((await two.move(id, '--resume')).errors).toContain(`No move of tenant ${id} is under way.`);
      expect((await two.move(id, '--abort')).errors).toContain(`Tenant ${id} has no move to cell 1.`);
      expect((await two.move(id, '--forget')).errors).toContain('is not that of a tenant that has moved away');
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
