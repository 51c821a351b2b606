/**
 * SQL: a limit that Postgres does not know when it plans. It expects to reach it soon, and reads in the order of an
 * index. With a known limit, and fewer rows expected, it may read and sort all of a busy webhook's rows.
 */
export const limitInOrder = (rows: number): string => `limit (select ${rows})`;
