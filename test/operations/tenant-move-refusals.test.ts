import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moveHere } from '../faults/support/moving-cells.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { drawTenant, movingOf, stateOf } from '../support/moved-tenants.js';
import { type Cell, TwoCells } from '../support/two-cells.js';

/** Which tenants `hookwright tenant move` does not take, and why. */

const SLOW = { timeout: 60_000 };

let two: TwoCells;
let [source, target]: [Cell, Cell] = [] as never;
beforeEach(async () => {
  two = await TwoCells.open();
  [source, target] = two.cells;
});
afterEach(() => two[Symbol.asyncDispose]());

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
    expect(await two.move(id)).toMatchObject({ code: 1, errors: expect.stringContaining(sentence) });
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
    expect([await movingOf(source, id), (await stateOf(source, id))!.state]).toEqual([null, 'COPYING']);
    await two.run(`key copy ${keys[0]!.id} --to-url-file cell1`);
    keys.push(await makeKey(source.services, null, ['platform:admin']));
    await act(keys[1]!.id);
    expect((await two.move(id, '--resume')).errors).toContain(sentence(keys[1]!.id));
    await two.run(`key copy ${keys[1]!.id} --to-url-file cell1`);
    expect(await two.move(id, '--resume')).toMatchObject({ code: 0 });
    const there = 'select id::float8, revoked_at from hookwright.api_keys where id = any($1) order by id';
    const valid = keys.map((key) => ({ id: key.id, revoked_at: null }));
    expect(await target.rows(there, [keys.map((key) => key.id)])).toEqual(valid);
  });

  test('another encryption key', SLOW, async () => {
    const { id } = await makeTenant(source.services);
    await makeTenant(target.services);
    const [own] = [two.settings['ENCRYPTION_KEYS']];
    two.settings['ENCRYPTION_KEYS'] = `test:${Buffer.alloc(32).toString('base64')}`;
    expect((await two.move(id)).errors).toContain('ENCRYPTION_KEYS has no key "test" that opens the tenant');
    two.settings['ENCRYPTION_KEYS'] = own!;
    await target.rows(`update hookwright.tenants set data_key_kid = 'other'`);
    expect((await two.move(id)).errors).toContain('are not protected by the encryption key "test"');
  });
});
