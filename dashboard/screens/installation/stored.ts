interface Partition {
  table: string;
  since: string;
  until: string;
  rowsEstimate?: number | null;
  bytes: number;
}

/** The size of a table over all its days. */
export interface Stored {
  table: string;
  /** About how many; days that Postgres has not counted yet are left out, so 0 says nothing. */
  rows: number;
  bytes: number;
  /** The beginning of its first day. */
  since: string;
  /** Whole days from tomorrow on that have their partition. */
  daysAhead: number;
}

/** Sums up the days of each table. @param now in ms since 1970. */
export function storedByTable(partitions: readonly Partition[], now: number): Stored[] {
  return [...Map.groupBy(partitions, ({ table }) => table)]
    .map(([table, days]) => ({
      table,
      rows: days.reduce((sum, { rowsEstimate }) => sum + (rowsEstimate ?? 0), 0),
      bytes: days.reduce((sum, { bytes }) => sum + bytes, 0),
      since: days.map(({ since }) => since).sort()[0] ?? '',
      daysAhead: days.filter(({ since }) => Date.parse(since) > now).length,
    }))
    .sort((one, other) => other.bytes - one.bytes);
}
