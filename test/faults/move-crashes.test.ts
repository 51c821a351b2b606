import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { CrashableGround } from './support/ground.js';
import { POINTS } from './support/move-points.js';
import { MovingSite } from './support/moving-site.js';
import { DUPLICATES_OF_ONE_MAX } from './support/site.js';
import { isLong, report, size } from './support/sizes.js';

/** Everything that a move stands on ends at every step of it (docs/decisions/0099). */

const TEST_MS = 300_000;
const PER_SECOND = 50;
const BEFORE = 60;
const TRIES = 4;
const LOOK_MS = 20;

const VICTIMS = {
  'the Postgres of the source': async (_: MovingSite, [source]: Grounds) => {
    await source.crash();
    await source.restart();
  },
  'the Postgres of the target': async (_: MovingSite, [, target]: Grounds) => {
    await target.crash();
    await target.restart();
  },
  'the daemon of the source': async (site: MovingSite) => {
    await site.daemon.kill();
    site.daemon = await site.startDaemon(0);
  },
};
type Grounds = readonly [CrashableGround, CrashableGround];
type Victim = keyof typeof VICTIMS;

const PAIRS = Object.keys(POINTS).flatMap((point) =>
  (Object.keys(VICTIMS) as Victim[]).map((victim): [string, Victim] => [point, victim]),
);
/** Every pair comes before one comes again. */
const drawn = (seed: number): [seed: number, point: string, victim: Victim] => [
  seed,
  ...PAIRS[(13 + 7 * seed) % PAIRS.length]!,
];

/** Looks all the time whether the tenant is open in both cells: the target first, where it stays once it is open. */
function watch(site: MovingSite): () => Promise<number> {
  let isOver = false;
  let twice = 0;
  const opens = async (cell: 0 | 1) => {
    const [row] = await site.two.cells[cell].rows<{ open: boolean }>(
      "select coalesce(moving, 'DRAINING') = 'DRAINING' as open from hookwright.tenants where id = $1 and deleted_at is null",
      [site.tenantId],
    );
    return row?.open === true;
  };
  const watching = (async () => {
    while (!isOver) {
      try {
        twice += Number((await opens(1)) && (await opens(0)));
      } catch {} // its Postgres has crashed
      await delay(LOOK_MS);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return twice;
  };
}

/** Moves until it is done, as an operator does who reads what the command says. @returns what was said before */
async function moveOn(site: MovingSite, mover: ReturnType<MovingSite['startMover']>): Promise<string[]> {
  const said: string[] = [];
  for (let next = mover; ; next = site.startMover('--resume')) {
    if ((await next.ended) === 0) {
      return said;
    }
    if (said.push(next.said.trim().split('\n').at(-1)!) === TRIES) {
      throw new Error(`The move does not end: ${said.join('; ')}`);
    }
  }
}

const seeds = Array.from({ length: size('FAULTS_MOVES', 1, 20) }, (_, seed) => drawn(seed));

test.each(seeds)(
  'seed %i: %s, %s ends: the move is ended by --resume at the latest, and nothing is lost',
  {
    timeout: TEST_MS,
  },
  async (seed, point, victim) => {
    const grounds: Grounds = [await CrashableGround.open(), await CrashableGround.open()];
    await using site = await MovingSite.open(grounds);
    const openInBoth = watch(site);
    site.startLoad(PER_SECOND);
    await eventually(() => site.emitted.length >= BEFORE, 60_000);
    const { reached, letGo } = await POINTS[point]!(site);
    const mover = site.startMover();
    await Promise.race([reached(), mover.ended]);
    await VICTIMS[victim](site, grounds);
    await letGo();
    const said = await moveOn(site, mover);
    const after = site.emitted.length;
    await eventually(() => site.emitted.length >= after + BEFORE, 60_000);
    await site.endLoad();
    expect(await site.judge(DUPLICATES_OF_ONE_MAX)).toEqual([]);
    expect([await site.marks(), await openInBoth()]).toEqual([['GONE', null], 0]);
    report(`moved ${point}, ${victim} ended`, { seed, events: site.emitted.length, said });
  },
);

test.runIf(isLong)('the seeds are of all pairs', () => {
  expect(new Set(PAIRS.map((_, seed) => String(drawn(seed).slice(1)))).size).toBe(PAIRS.length);
});
