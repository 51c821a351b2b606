import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moveHere } from '../faults/support/moving-cells.js';
import { eventually } from '../support/eventually.js';
import { countOf, drawTenant, expectSame, holdDraining, movingOf, rowsOf, stateOf } from '../support/moved-tenants.js';
import { onServer } from '../support/on-server.js';
import { type Cell, TwoCells } from '../support/two-cells.js';

/** How a move ends that does not reach its last step: the tenant is open in one cell (docs/decisions/0099). */

const SLOW = { timeout: 60_000 };

let two: TwoCells;
let [source, target]: [Cell, Cell] = [] as never;
beforeEach(async () => {
  two = await TwoCells.open();
  [source, target] = two.cells;
});
afterEach(() => two[Symbol.asyncDispose]());

describe('a tenant that is closed', () => {
  /** Locks a table of the target that the last of the copy is written to, as long as `work` runs. */
  const whileTargetWaits = (work: () => Promise<void>) =>
    onServer(target.url, async (other) => {
      await other.query('begin; lock table hookwright.webhooks in share mode');
      await work();
    });

  const expectOpenHere = async (id: number) => {
    expect([await movingOf(source, id), (await stateOf(source, id))!.state]).toEqual([null, 'COPYING']);
    expect(await two.move(id, '--resume')).toMatchObject({ code: 0 });
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
      await eventually(async () => (await stateOf(source, id))?.state === 'CLOSED', 20_000);
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
    const lost = expect(moving).rejects.toThrow(
      /^The connection to cell 1 is lost\. The tenant is open here: ".* --resume" goes on, --abort takes it/,
    );
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
    const held = await holdDraining(source, id);
    const moving = two.move(id);
    await held.reached();
    await kill();
    expect((await moving).errors).toContain('The connection to this cell is lost. The service opens the tenant within');
    await held.letGo();
    return id;
  }

  test('leaves a tenant that the service opens again, and another command goes on', SLOW, async () => {
    const id = await killedInDraining();
    expect((await two.move(id)).errors).toContain('is under way (DRAINING)');
    await source.rows(`update hookwright.tenant_moves set changed_at = now() - interval '61 s'`);
    await source.rows('select hookwright.reopen_abandoned()');
    expect([await movingOf(source, id), (await stateOf(source, id))!.state]).toEqual([null, 'COPYING']);
    const before = await rowsOf(source, id);
    const { token } = (await stateOf(source, id))!;
    expect(await two.move(id, '--resume')).toMatchObject({ code: 0 });
    await expectSame(target, id, before);
    // Whatever the former one still did, it could neither commit here nor there.
    expect((await stateOf(source, id))!.token).not.toBe(token);
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
    await two.move(id);
    const before = await rowsOf(target, id);
    await source.rows(`update hookwright.tenant_moves set state = 'COPYING'`);
    await source.rows(`select hookwright.set_moving(${id}, null)`);
    expect((await two.move(id, '--resume')).errors).toContain('a failover has had this cell forget that');
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual(['GONE', null]);
    expect(await rowsOf(target, id)).toEqual(before);
  });

  test('may be taken back: the other cell has nothing of it then', SLOW, async () => {
    const id = await killedInDraining();
    const before = await rowsOf(source, id);
    expect(countOf(await rowsOf(target, id))).toBeGreaterThan(10);
    expect(await two.move(id, '--abort')).toMatchObject({ code: 0 });
    expect(countOf(await rowsOf(target, id))).toBe(0);
    expect(await rowsOf(source, id)).toEqual(before);
    expect([await movingOf(source, id), (await stateOf(source, id))!.state]).toEqual([null, 'ABORTED']);
    expect(await two.move(id, '--abort')).toMatchObject({ code: 0 });
    expect(await two.move(id)).toMatchObject({ code: 0 });
    await expectSame(target, id, before);
  });

  test('in doubt: the target has not got the tenant, so it never comes by that token', SLOW, async () => {
    const id = await killedInDraining();
    await source.rows(`update hookwright.tenant_moves set state = 'COMMITTING'`);
    await source.rows(`select hookwright.set_moving(${id}, 'CLOSED')`);
    const { token } = (await stateOf(source, id))!;
    const before = await rowsOf(source, id);
    expect((await two.move(id, '--resume')).errors).toContain(
      'is not open in cell 1, and never comes by the former try',
    );
    await expectSame(target, id, before);
    expect(await target.rows('select state from hookwright.tenant_moves where token = $1', [token])).toEqual([
      { state: 'ABORTED' },
    ]);
    expect((await stateOf(source, id))!.token).not.toBe(token);
  });

  test('in doubt: the target has the tenant, so it is gone here, and cannot be taken back', SLOW, async () => {
    const { id } = await drawTenant(source);
    await two.move(id);
    await source.rows(`update hookwright.tenant_moves set state = 'COMMITTING'`);
    await source.rows(`select hookwright.set_moving(${id}, 'CLOSED')`);
    expect((await two.run('tenant route')).output).toContain(`t${id} hold\n`);
    expect((await two.move(id, '--abort')).errors).toContain(
      `Tenant ${id} is open in cell 1: there is nothing to abort.`,
    );
    expect(await two.move(id, '--resume')).toMatchObject({ code: 0, output: expect.stringContaining(`t${id} 1\n`) });
    expect([await movingOf(source, id), await movingOf(target, id)]).toEqual(['GONE', null]);
    expect(await two.move(id, '--resume')).toMatchObject({ code: 0 });
  });
});
