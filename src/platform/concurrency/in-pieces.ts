import { FairQueue } from './fair-queue.js';

/** The pieces of all long work may take this long together before everything else has its turn. */
const TURN_MS = 5;

const waiting = new FairQueue<{ weight: 1; run: () => void }>();
/** The time of the pieces in this turn of the event loop; null: there was none. */
let usedMs: number | null = null;

/**
 * Does a piece of work that may take long (docs/slots.md, "Work that cannot be divided"): at once, or in a later turn
 * of the event loop when other pieces have used up this one. So sockets, timers and short requests are served between
 * the pieces, and the tenants that wait have one piece each in turns.
 *
 * @param tenantId whose work it is; null: the installation's
 * @throws what `work` throws
 */
export function piece<Result>(tenantId: number | null, work: () => Result): Promise<Result> {
  return new Promise((resolve, reject) => {
    const run = () => {
      const begunAt = performance.now();
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
      usedMs = (usedMs ?? 0) + performance.now() - begunAt;
    };
    if (waiting.isEmpty && hasTime()) {
      run();
    } else {
      waiting.add(tenantId, { weight: 1, run });
    }
  });
}

function hasTime(): boolean {
  if (usedMs === null) {
    usedMs = 0;
    setImmediate(endTurn);
  }
  return usedMs < TURN_MS;
}

function endTurn(): void {
  usedMs = null;
  for (const { run } of waiting.takeAll(hasTime)) {
    run();
  }
}
