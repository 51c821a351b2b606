import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heldCommit, POINTS } from './support/move-points.js';
import { MovingSite } from './support/moving-site.js';
import { isLong, report, size } from './support/sizes.js';

const TEST_MS = 300_000;
const PER_SECOND = 50;
const BEFORE = 60;

/** Kills the mover at a point, and has others go on until it is done. */
async function moveWithKill(site: MovingSite, point: string): Promise<void> {
  site.startLoad(PER_SECOND);
  await eventually(() => site.emitted.length >= BEFORE, 60_000);
  const { reached, letGo } = await POINTS[point]!(site);
  const mover = site.startMover();
  await Promise.race([
    reached(),
    mover.ended.then((code) => code === 0 || Promise.reject(new Error(`The mover has ended: ${mover.said}`))),
  ]);
  await mover.signal('SIGKILL');
  const others = site.startMover('--resume');
  await letGo();
  expect([await others.ended, others.said]).toEqual([0, expect.stringContaining('is open in cell 1')]);
  const after = site.emitted.length;
  await eventually(() => site.emitted.length >= after + BEFORE, 60_000);
  await site.endLoad();
}

const rounds = size('FAULTS_MOVER_KILLS', 1, 3);
const points = Object.keys(POINTS).filter(
  (point) => isLong || ['while it writes the rest', 'while the target commits'].includes(point),
);

for (const point of points) {
  test(`a mover is killed ${point}: another one ends the move, and nothing is lost or sent twice`, {
    timeout: TEST_MS * rounds,
  }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      await using site = await MovingSite.open();
      await moveWithKill(site, point);
      expect(await site.judge()).toEqual([]);
      expect(await site.marks()).toEqual(['GONE', null]);
      expect(site.emitted.at(-1)!.cell).toBe(1);
      report(`moved ${point}`, { events: site.emitted.length });
    }
  });
}

test('Ctrl-C opens the tenant again where it was; taken back, it leaves nothing', { timeout: TEST_MS }, async () => {
  await using site = await MovingSite.open();
  site.startLoad(PER_SECOND);
  const { reached, letGo } = await POINTS['while it drains']!(site);
  const mover = site.startMover();
  await reached();
  await mover.signal('SIGINT');
  expect(mover.said).toContain('--resume');
  expect([await site.state(), await site.marks()]).toEqual(['COPYING', [null, undefined]]);
  await letGo();
  const back = site.startMover('--abort');
  expect([await back.ended, back.said]).toEqual([0, expect.stringContaining('stays here')]);
  expect(await site.two.cells[1].rows('select from hookwright.tenants where id = $1', [site.tenantId])).toEqual([]);
  await site.endLoad();
  expect(site.strange).toEqual([]);
  expect(new Set(site.emitted.map(({ cell }) => cell))).toEqual(new Set([0]));
});

test('a mover that is killed closes nobody for long: the service opens the tenant again', {
  timeout: TEST_MS,
}, async () => {
  await using site = await MovingSite.open();
  const { reached, letGo } = await POINTS['while it writes the rest']!(site);
  const mover = site.startMover();
  await reached();
  await mover.signal('SIGKILL');
  await site.two.cells[0].rows(`update hookwright.tenant_moves set changed_at = now() - interval '61 s'`);
  await site.reaches('COPYING');
  expect(await site.marks()).toEqual([null, undefined]);
  await letGo();
});

test('a commit of the target that is held decides nothing until it ends: taken back or open, never both', {
  timeout: TEST_MS,
}, async () => {
  await using site = await MovingSite.open();
  site.startLoad(PER_SECOND);
  const { reached, letGo } = await heldCommit(site);
  const mover = site.startMover();
  await reached();
  await mover.signal('SIGKILL');
  const another = site.startMover('--resume');
  await waitsForCommit(site);
  expect(await site.marks()).toEqual(['CLOSED', undefined]);
  await site.two.cells[1].rows(`
    select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hookwright mover'
      and datname = current_database() and query ilike 'commit%'`);
  await eventually(() => another.said.includes('never comes by the former try'), 60_000);
  await letGo();
  expect([await another.ended, another.said]).toEqual([0, expect.stringContaining('is open in cell 1')]);
  await site.endLoad();
  expect(await site.judge()).toEqual([]);
  expect(await site.marks()).toEqual(['GONE', null]);
});

/** Waits until a mover waits for the transaction of another one. */
const waitsForCommit = (site: MovingSite) =>
  eventually(async () => {
    const [row] = await site.two.cells[1].rows<{ waits: boolean }>(`
      select exists (select from pg_stat_activity where application_name = 'hookwright mover'
        and datname = current_database() and wait_event = 'transactionid') as waits`);
    return row!.waits;
  }, 60_000);
