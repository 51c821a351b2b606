import { LoopTurns } from './loop-turns.js';

/** The pieces of all long work of a process take this long together before everything else has its turn. */
const TURN_MS = 5;

const turns = new LoopTurns<number | null>(undefined, TURN_MS);

/**
 * Does a piece of work that may take long (docs/slots.md, "Work that cannot be divided"): at once, or in a later turn
 * of the event loop when other pieces have used up this one. So sockets, timers and short requests are served between
 * the pieces, and the tenants that wait have one piece each in turns.
 *
 * @param tenantId whose work it is; null: the installation's
 * @throws what `work` throws
 */
export const piece = <Result>(tenantId: number | null, work: () => Result): Promise<Result> =>
  turns.run(tenantId, work);
