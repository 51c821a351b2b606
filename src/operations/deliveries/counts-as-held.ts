/**
 * SQL condition: an open delivery was open already when the id `bound` was made, and nobody has asked for it or tried
 * it since. Without a bound it is false, and costs nothing.
 *
 * @param delivery the name of a row of `deliveries`
 */
export const openSinceSql = (delivery: string, bound: string) =>
  `case when ${delivery}.id <= ${bound}
     then hookwright.open_since(${delivery}.id, ${delivery}.attempt_count, ${delivery}.attempts_before,
                                ${delivery}.due_at, ${bound})
     else false end`;

/**
 * SQL condition: a delivery that is pending counts as held, because it was pending when its active webhook was enabled
 * with `held: KEEP` or `DISCARD`; the pause had not been settled then (docs/decisions/0021).
 */
export const countsAsHeldSql = (delivery: string, webhook: string) =>
  openSinceSql(delivery, `greatest(${webhook}.keep_held_up_to, ${webhook}.discard_held_up_to)`);
