import { setTimeout as delay } from 'node:timers/promises';

/** The pause between checks grows with the wait: a check often asks the database, which the awaited work needs too. */
const pauseMs = (waitedMs: number) => Math.min(40, Math.max(5, waitedMs / 20));

/**
 * Waits until a condition holds: `check` returns something other than undefined, null or false, and does not throw.
 *
 * @returns what `check` returned
 * @throws Error with the last thing that went wrong, when it does not hold in time
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  withinMs = 10_000,
): Promise<NonNullable<Exclude<Result, false>>> {
  const startedAt = performance.now();
  let last: unknown;
  for (;;) {
    try {
      last = await check();
      if (last !== undefined && last !== null && last !== false) {
        return last as NonNullable<Exclude<Result, false>>;
      }
    } catch (error) {
      last = error;
    }
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > withinMs) {
      throw new Error(`not so within ${withinMs} ms; at last: ${String(last)}`, { cause: last });
    }
    await delay(pauseMs(waitedMs));
  }
}
