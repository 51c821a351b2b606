import { median } from '../histogram.js';
import type { Side } from './side.js';
import { type Statement, statementsDuring } from './statements.js';

const TIMES = 5;

interface Starts {
  apiRatio: number;
  daemonRatio: number;
  /** Of the last start of the large installation, and of the small one. */
  statements: Record<Side['name'], Statement[]>;
}

/** Starts API and daemon of both in turns, and waits until they are ready. */
export async function compareStarts(large: Side, small: Side): Promise<Starts> {
  const apiMs: Record<Side['name'], number[]> = { large: [], small: [] };
  const daemonMs: Record<Side['name'], number[]> = { large: [], small: [] };
  const statements: Starts['statements'] = { large: [], small: [] };
  for (const side of [large, small]) {
    await side.startApi(); // the first one makes the key with which the others are asked
    await side.stopApi();
  }
  for (let time = 0; time < TIMES; time += 1) {
    for (const side of time % 2 === 0 ? [large, small] : [small, large]) {
      statements[side.name] = await statementsDuring(side.database, async () => {
        apiMs[side.name].push(await side.startApi());
        daemonMs[side.name].push(await side.startDaemon());
      });
      await side.stopDaemon();
      await side.stopApi();
    }
  }
  const ratio = ({ large: a, small: b }: Record<Side['name'], number[]>) => median(a)! / median(b)!;
  return { apiRatio: ratio(apiMs), daemonRatio: ratio(daemonMs), statements };
}
