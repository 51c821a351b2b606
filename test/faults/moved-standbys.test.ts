import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { TwoCells } from '../support/two-cells.js';
import { Mover } from './support/mover.js';
import { marksOf, moveHere } from './support/moving-cells.js';
import { ReplicatedGround } from './support/replicated-ground.js';
import { isLong, report, size } from './support/sizes.js';

/** A tenant moves while a primary with a standby fails over (docs/decisions/0099). */

const SLOW = { timeout: 240_000 };
const EVENTS = 5;

/** A tenant of cell 0, where one cell has a standby. */
async function open(which: 'source' | 'target', synchronous = false) {
  const ground = await ReplicatedGround.open(synchronous);
  const two = await TwoCells.open(which === 'source' ? [ground] : [undefined, ground]);
  const { id } = await makeTenant(two.cells[0].services);
  await makeWebhook(two.cells[0].services, id);
  await emitMany(two.cells[0].services, id, EVENTS);
  await ground.primary.ask(`grant pg_read_all_stats to "${new URL(ground.primary.postgres!.url).username}"`);
  const said: string[] = [];
  return {
    ground,
    two,
    id,
    said,
    move: (kind: 'MOVE' | 'RESUME' = 'MOVE') =>
      moveHere(two, id, { kind, say: (sentence) => void said.push(sentence) }).then(
        ({ cell }) => `open in ${cell}`,
        ({ message }: Error) => message,
      ),
    /** Fails with what a move has ended with before. */
    reaches: (state: string, ended: Promise<string>) =>
      Promise.race([
        eventually(async () => {
          const rows = await two.cells[0].rows('select from hookwright.tenant_moves where state = $1', [state]);
          return rows.length > 0;
        }, 60_000),
        ended.then((end) => Promise.reject(new Error(end))),
      ]),
    start: (...options: string[]) =>
      new Mover(['tenant', 'move', String(id), '--to-url-file', two.urlFile(two.cells[1].url), ...options], {
        ...two.settings,
        DATABASE_URL: two.cells[0].url,
      }),
    count: async () => (await two.cells[1].rows('select from hookwright.events where tenant_id = $1', [id])).length,
    [Symbol.asyncDispose]: () => two[Symbol.asyncDispose](),
  };
}

type Moving = Awaited<ReturnType<typeof open>>;

/** The target's commit waits until the test lets it go. */
async function holdCommit({ two }: Moving) {
  const [, target] = two.cells;
  await target.rows(`
    create or replace function public.wait_at_commit() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return null; end $$;
    create constraint trigger wait_at_commit after insert on hookwright.tenant_moves deferrable initially deferred
      for each row when (new.state = 'OPEN') execute function public.wait_at_commit()`);
}

test(
  'the source fails over to a standby that does not know of COMMITTING: the target does not commit',
  SLOW,
  async () => {
    await using moving = await open('source');
    const { ground, two, id } = moving;
    const [source] = two.cells;
    // When it is CLOSED the standby has that, and what comes then is not sent to it.
    await source.rows(`
    create function public.wait_before_committing() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return new; end $$;
    create trigger wait_before_committing before update on hookwright.tenant_moves
      for each row when (new.state = 'COMMITTING') execute function public.wait_before_committing()`);
    const hold = await source.services.db.pool.connect();
    await hold.query('select pg_advisory_lock(4711)');
    const ended = moving.move();
    await moving.reaches('CLOSED', ended);
    await eventually(
      async () => (await source.rows(`select from pg_locks where locktype = 'advisory' and not granted`)).length > 0,
      30_000,
    );
    await eventually(
      async () => (await ground.standby.ask(`select from hookwright.tenant_moves where state = 'CLOSED'`)).length > 0,
    );
    await ground.primary.stopReplication();
    await hold.query('select pg_advisory_unlock(4711)');
    hold.release();
    await moving.reaches('COMMITTING', ended);
    await ground.promote();
    ground.primary.resumeReplication(); // the former standby wants nothing any more
    expect(await ended).not.toBe('open in 1');
    await ground.primary.crash();
    await eventually(async () => (await marksOf(two, id))[0] === 'CLOSED', 30_000);
    // The new primary opens it, as it knows of nothing else; it is nowhere else.
    await source.rows(`update hookwright.tenant_moves set changed_at = now() - interval '61 s'`);
    await source.rows('select hookwright.reopen_abandoned()');
    expect(await marksOf(two, id)).toEqual([null, undefined]);
    await emitMany(source.services, id, 1);
    expect(await moving.move('RESUME')).toBe('open in 1');
    expect([await marksOf(two, id), await moving.count()]).toEqual([['GONE', null], EVENTS + 1]);
  },
);

test('the target fails over to a standby that lacks the tenant: it is not gone from the source', SLOW, async () => {
  await using moving = await open('target');
  const { ground, two, id } = moving;
  const [, target] = two.cells;
  await holdCommit(moving);
  const hold = await target.services.db.pool.connect();
  await hold.query('select pg_advisory_lock(4711)');
  const ended = moving.move();
  await moving.reaches('COMMITTING', ended);
  await ground.primary.stopReplication();
  await hold.query('select pg_advisory_unlock(4711)');
  hold.release();
  await eventually(async () => (await marksOf(two, id))[1] === null, 30_000);
  await ground.promote();
  ground.primary.resumeReplication();
  // Nobody has fenced the former primary yet, and the mover has asked it since its standby is away.
  await eventually(async () => (await ground.primary.ask('select from pg_stat_replication')).length === 0, 30_000);
  const [{ now }] = (await ground.primary.ask<{ now: string }>('select now()::text')) as [{ now: string }];
  await eventually(
    async () =>
      (
        await ground.primary.ask(`select from pg_stat_activity
    where application_name = 'hookwright mover' and query ~ 'pg_stat_replication' and query_start > '${now}'`)
      ).length > 0,
  );
  expect((await marksOf(two, id))[0]).toBe('CLOSED');
  await ground.primary.crash();
  await ended;
  expect(await moving.move('RESUME')).toBe('open in 1');
  expect([await marksOf(two, id), await moving.count()]).toEqual([['GONE', null], EVENTS]);
});

const heldMs = size('FAULTS_HELD_COMMIT_SECONDS', 1, 10) * 1000;

const CASES = [
  ['which ends with the standby', false],
  ['which an administrator cuts, so that it is seen before the standby has it', true],
] as const;

test.each(CASES.filter(([, cut]) => cut || isLong))(
  'the commit of the target waits for its standby, %s; a mover is killed, the next one waits, too',
  SLOW,
  async (_, cut) => {
    await using moving = await open('target', true);
    const { ground, two, id } = moving;
    const { primary } = ground;
    await holdCommit(moving);
    const hold = await two.cells[1].services.db.pool.connect();
    await hold.query('select pg_advisory_lock(4711)');
    const mover = moving.start();
    await moving.reaches(
      'COMMITTING',
      mover.ended.then(() => mover.said),
    );
    await primary.stopReplication();
    await hold.query('select pg_advisory_unlock(4711)');
    hold.release();
    const waiting = (event: string) =>
      eventually(
        async () =>
          (
            await primary.ask(`select from pg_stat_activity
      where application_name = 'hookwright mover' and wait_event = '${event}'`)
          ).length > 0,
        30_000,
      );
    await waiting('SyncRep');
    const since = performance.now();
    await mover.signal('SIGKILL');
    const next = moving.start('--resume');
    await waiting('transactionid');
    if (cut) {
      await primary.ask(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'hookwright mover' and wait_event = 'SyncRep'`);
      await eventually(async () => (await marksOf(two, id))[1] === null, 30_000);
    }
    await eventually(() => performance.now() - since > heldMs, 2 * heldMs);
    expect([await marksOf(two, id), next.said]).toEqual([['CLOSED', cut ? null : undefined], '']);
    primary.resumeReplication();
    expect([await next.ended, next.said]).toEqual([0, expect.stringContaining(`Tenant ${id} is open in cell 1.`)]);
    expect([await marksOf(two, id), await moving.count()]).toEqual([['GONE', null], EVENTS]);
    report('held commit', { cut, heldMs });
  },
);
