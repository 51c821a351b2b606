import { setTimeout as delay } from 'node:timers/promises';
import type { Side } from './side.js';
import { type Statement, statementsDuring } from './statements.js';

/** What an installation did while nothing was emitted. */
interface Idle {
  seconds: number;
  /** Of all processes of the server; null: they cannot be seen. */
  cpuSeconds: number | null;
  statements: Statement[];
}

/** The first reports and sweeps are over. */
const SETTLE_MS = 20_000;
const BLOCKS_A_CALL_MAX = 2_000;
const BLOCKS_A_ROW_MAX = 10;

/** Watches both at the same time where they have servers of their own, so that each hour's work falls into both. */
export async function watchIdle(large: Side, small: Side, seconds: number): Promise<Record<Side['name'], Idle>> {
  const together = !large.database.sharesServerWith(small.database);
  const first = watch(small, seconds);
  if (!together) {
    await first;
  }
  const [largeIdle, smallIdle] = await Promise.all([watch(large, seconds), first]);
  return { large: largeIdle, small: smallIdle };
}

async function watch(side: Side, seconds: number): Promise<Idle> {
  await side.startApi();
  await side.startDaemon();
  await side.untilCaughtUp();
  await delay(SETTLE_MS);
  let cpuSeconds: number | null = null;
  const statements = await statementsDuring(side.database, async () => {
    const before = side.database.cpuSeconds();
    await delay(seconds * 1000);
    const after = side.database.cpuSeconds();
    cpuSeconds = before === null || after === null ? null : after - before;
  });
  await side.stopDaemon();
  await side.stopApi();
  return { seconds, cpuSeconds, statements };
}

/** Whether a duty's statement reads more than it may: for its calls, and for the rows that it works off. */
export const readsTooMuch = ({ blocks, calls, rows }: Statement): boolean =>
  blocks / calls > BLOCKS_A_CALL_MAX && blocks > BLOCKS_A_ROW_MAX * rows;
