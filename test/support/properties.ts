import fc from 'fast-check';

/** `npm run fuzz` draws twenty times as often as `npm test`, which draws other values in each run. */
export const isFuzz = process.env['FUZZ'] === 'long';
const DRAWS = isFuzz ? 2_000 : 100;

/**
 * For a property whose draws take longer than usual, as those that ask Postgres do.
 *
 * @param cost of one draw, in usual ones: it gets as many times fewer
 */
export const draws = (cost: number) => ({ numRuns: Math.ceil(DRAWS / cost) });

/** Draws until the time is over, however many that are. */
export const drawsWithin = (ms: number) => ({
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: ms,
  markInterruptAsFailure: false,
});

/** @param ms the time limit of a test in `npm test` */
export const drawsTimeoutMs = (ms: number): number => (isFuzz ? ms * 20 : ms);

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...draws(1) });

export { fc };
