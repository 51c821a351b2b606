/** Thousands of endpoints may have asked for a pause. Behind so many others a report finds what is late. */
export const OLDEST_LOOKED = 100;

/**
 * SQL: when the oldest delivery became due whose endpoint does not want it to wait; null: there is none among those
 * that are due longest. Usually it is the first entry of an index.
 *
 * @param deliveries the table, or its view
 * @param lookedMax else so many are looked at
 */
export const oldestOtherSql = (deliveries: string, lookedMax: number): string => `
  (select case when hookwright.endpoint_waits(first.webhook_id) then (
     with oldest as materialized (${dueSql(deliveries, lookedMax)}),
          known as materialized (select distinct webhook_id from oldest),
          waiting as materialized (select webhook_id from known where hookwright.endpoint_waits(webhook_id))
     select min(due_at) from oldest where webhook_id not in (select webhook_id from waiting))
     else first.due_at end
   from (${dueSql(deliveries, 1)}) as first)`;

const dueSql = (deliveries: string, countMax: number) => `
  select d.due_at, d.webhook_id from ${deliveries} d where d.status = 'PENDING' and d.due_at <= now()
  order by d.due_at limit ${countMax}`;
