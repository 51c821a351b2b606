import { CELL_WINDOW_MS_MAX } from '../../domain/ids/cell.js';
import { IDS_PER_MS } from '../../domain/ids/delivery-id.js';

/** SQL: the greatest id that can have been made until the time in an id, with cells or not (docs/decisions/0098). */
export const idsUntilSql = (bound: string) => `(${bound} | ${CELL_WINDOW_MS_MAX * IDS_PER_MS - 1})`;

/**
 * SQL condition: an open delivery was open at the time in the id `bound`, and has neither been requested nor attempted
 * since. Without a bound it is false, and costs nothing.
 *
 * @param delivery the name of a row of `deliveries`
 */
export const openSinceSql = (delivery: string, bound: string) =>
  `case when ${delivery}.id <= ${idsUntilSql(bound)}
     then hookwright.open_since(${delivery}.id, ${delivery}.attempt_count, ${delivery}.attempts_before,
                                least(${delivery}.due_at, ${delivery}.settling_since), ${bound})
     else false end`;

/**
 * SQL condition: a pending delivery counts as held. It was pending when its webhook was enabled with `held: KEEP` or
 * `DISCARD`, before deliveries were aligned with the pause (docs/decisions/0021).
 */
export const countsAsHeldSql = (delivery: string, webhook: string) =>
  openSinceSql(delivery, `greatest(${webhook}.keep_held_up_to, ${webhook}.discard_held_up_to)`);
